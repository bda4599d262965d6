-- Every change of a workflow's status, and every step checkpoint, in one sequence, with the transaction that made it and
-- the oldest one that it could not see. Lives in the SDK's database, for a trigger writes only there; the schema is the
-- harness's own.
CREATE SCHEMA relayproof;
CREATE TABLE relayproof.status_log (
    seq bigserial PRIMARY KEY,
    kind text NOT NULL,            -- insert, update, delete: of workflow_status; outcome; checkpoint, rewrite: of a step
    workflow text NOT NULL,
    old_status text, new_status text,
    old_executor text, new_executor text,
    attempts bigint,               -- recovery_attempts after the change
    changed boolean,               -- output or error is another than before
    output text, error text,       -- after the change, cut
    digest text,                   -- md5 of the whole output
    version text, queue text,
    step text, function_id integer,
    xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    xmin_seen bigint NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    pid integer NOT NULL DEFAULT pg_backend_pid(),
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON relayproof.status_log (workflow, seq);

CREATE FUNCTION relayproof.log_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO relayproof.status_log(kind, workflow, old_status, old_executor, attempts, version)
        VALUES ('delete', OLD.workflow_uuid, OLD.status, OLD.executor_id, OLD.recovery_attempts, OLD.application_version);
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO relayproof.status_log(kind, workflow, new_status, new_executor, attempts, changed, output, error, digest,
                                          version, queue)
        VALUES ('insert', NEW.workflow_uuid, NEW.status, NEW.executor_id, NEW.recovery_attempts,
                NEW.output IS NOT NULL OR NEW.error IS NOT NULL, left(NEW.output, 4096), left(NEW.error, 1024),
                md5(NEW.output), NEW.application_version, NEW.queue_name);
    ELSIF (OLD.status, OLD.executor_id, OLD.recovery_attempts, OLD.output, OLD.error)
        IS DISTINCT FROM (NEW.status, NEW.executor_id, NEW.recovery_attempts, NEW.output, NEW.error) THEN
        INSERT INTO relayproof.status_log(kind, workflow, old_status, new_status, old_executor, new_executor, attempts, changed,
                                          output, error, digest, version, queue)
        VALUES ('update', NEW.workflow_uuid, OLD.status, NEW.status, OLD.executor_id, NEW.executor_id,
                NEW.recovery_attempts, (OLD.output, OLD.error) IS DISTINCT FROM (NEW.output, NEW.error),
                left(NEW.output, 4096), left(NEW.error, 1024), md5(NEW.output), NEW.application_version, NEW.queue_name);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER relayproof_status AFTER INSERT OR UPDATE OR DELETE ON dbos.workflow_status
FOR EACH ROW EXECUTE FUNCTION relayproof.log_status();

CREATE FUNCTION relayproof.log_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO relayproof.status_log(kind, workflow, step, function_id, digest)
        VALUES ('checkpoint', NEW.workflow_uuid, NEW.function_name, NEW.function_id, md5(NEW.output));
    ELSIF (OLD.output, OLD.error) IS DISTINCT FROM (NEW.output, NEW.error) AND (OLD.output, OLD.error) <> (NULL, NULL) THEN
        INSERT INTO relayproof.status_log(kind, workflow, step, function_id, digest)
        VALUES ('rewrite', NEW.workflow_uuid, NEW.function_name, NEW.function_id, md5(NEW.output));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER relayproof_checkpoint AFTER INSERT OR UPDATE ON dbos.operation_outputs
FOR EACH ROW EXECUTE FUNCTION relayproof.log_checkpoint();

-- Go keeps outcomes in a table of their own (measured with v1.6.0): one row a workflow, columns output and error.
CREATE FUNCTION relayproof.log_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' OR (OLD.output, OLD.error) IS DISTINCT FROM (NEW.output, NEW.error) THEN
        INSERT INTO relayproof.status_log(kind, workflow, changed, output, error, digest)
        VALUES ('outcome', NEW.workflow_uuid, TG_OP = 'UPDATE', left(NEW.output, 4096), left(NEW.error, 1024),
                md5(NEW.output));
    END IF;
    RETURN NULL;
END $$;
DO $$
BEGIN
    IF to_regclass('dbos.workflow_output') IS NOT NULL THEN
        CREATE TRIGGER relayproof_outcome AFTER INSERT OR UPDATE ON dbos.workflow_output
        FOR EACH ROW EXECUTE FUNCTION relayproof.log_outcome();
    END IF;
END $$;
