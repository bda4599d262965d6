-- Schema 1, for SQLite 3.24 and newer.
-- Records are JSON as msgspec writes it; only what is searched for has columns of its own.
CREATE TABLE applications (
    org TEXT NOT NULL,
    app TEXT NOT NULL,
    record TEXT NOT NULL,
    patched TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (org, app)
) WITHOUT ROWID;

CREATE TABLE executors (
    org TEXT NOT NULL,
    app TEXT NOT NULL,
    executor_id TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (org, app, executor_id)
) WITHOUT ROWID;

CREATE TABLE remembered (
    org TEXT NOT NULL,
    app TEXT NOT NULL,
    executor_id TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (org, app, executor_id)
) WITHOUT ROWID;

CREATE TABLE keys (
    org TEXT NOT NULL,
    name TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (org, name)
) WITHOUT ROWID;

CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    now_ns INTEGER NOT NULL
);

CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    org TEXT NOT NULL,
    emit_ms INTEGER NOT NULL,
    operation TEXT NOT NULL,
    success INTEGER NOT NULL,
    subject_type TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    subject_display TEXT NOT NULL,
    target_type TEXT,
    target_id TEXT,
    source_ip TEXT NOT NULL,
    application TEXT NOT NULL,
    details TEXT
);

CREATE INDEX audit_by_time ON audit (org, emit_ms, seq);

-- Append-only, also for whoever opens the file by hand.
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_values BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
