-- The step ledger: a row when a step's body begins and one when it ends, written by the workers on a connection of their
-- own. In a database of the harness, apart from the SDK's: what an SDK rolls back or deletes stays in it.
CREATE SCHEMA relayproof;
CREATE TABLE relayproof.step_runs (
    seq bigserial PRIMARY KEY,
    workflow text NOT NULL,
    step text NOT NULL,
    attempt integer NOT NULL,      -- the how-manieth execution of this step of this workflow by this process, from 1
    executor text NOT NULL,        -- label of the worker's process
    phase text NOT NULL,           -- begin, end
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    detail text
);
CREATE INDEX ON relayproof.step_runs (workflow, seq);
CREATE INDEX ON relayproof.step_runs (executor, phase);
