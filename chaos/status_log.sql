-- Every change of a workflow's status, and every step checkpoint, in one sequence: claims and checkpoints are then in
-- one order without any clock. A trigger of SQLite writes only within its own file, so this lives in the SDK's.
CREATE TABLE relayproof_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,            -- insert, update, delete: of workflow_status; checkpoint: of a step
    workflow TEXT NOT NULL,
    old_status TEXT, new_status TEXT,
    old_executor TEXT, new_executor TEXT,
    attempts INTEGER,              -- recovery_attempts after the change
    outcome_changed INTEGER,       -- 1: output or error is another than before
    output TEXT, error TEXT,       -- after the change
    queue TEXT,
    step TEXT, function_id INTEGER,
    wall_ms INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))  -- for people
);
CREATE TRIGGER relayproof_insert AFTER INSERT ON workflow_status BEGIN
    INSERT INTO relayproof_log(kind, workflow, new_status, new_executor, attempts, outcome_changed, output, error, queue)
    VALUES ('insert', NEW.workflow_uuid, NEW.status, NEW.executor_id, NEW.recovery_attempts,
            NEW.output IS NOT NULL OR NEW.error IS NOT NULL, NEW.output, NEW.error, NEW.queue_name);
END;
CREATE TRIGGER relayproof_update AFTER UPDATE ON workflow_status
WHEN OLD.status IS NOT NEW.status OR OLD.executor_id IS NOT NEW.executor_id
    OR OLD.recovery_attempts IS NOT NEW.recovery_attempts OR OLD.output IS NOT NEW.output OR OLD.error IS NOT NEW.error
BEGIN
    INSERT INTO relayproof_log(kind, workflow, old_status, new_status, old_executor, new_executor, attempts,
                               outcome_changed, output, error, queue)
    VALUES ('update', NEW.workflow_uuid, OLD.status, NEW.status, OLD.executor_id, NEW.executor_id,
            NEW.recovery_attempts, OLD.output IS NOT NEW.output OR OLD.error IS NOT NEW.error,
            NEW.output, NEW.error, NEW.queue_name);
END;
CREATE TRIGGER relayproof_delete AFTER DELETE ON workflow_status BEGIN
    INSERT INTO relayproof_log(kind, workflow, old_status, old_executor, attempts)
    VALUES ('delete', OLD.workflow_uuid, OLD.status, OLD.executor_id, OLD.recovery_attempts);
END;
CREATE TRIGGER relayproof_checkpoint AFTER INSERT ON operation_outputs BEGIN
    INSERT INTO relayproof_log(kind, workflow, step, function_id)
    VALUES ('checkpoint', NEW.workflow_uuid, NEW.function_name, NEW.function_id);
END;
