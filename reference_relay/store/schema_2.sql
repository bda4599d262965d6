-- Schema 2: alerting rules, autoscaling policies, collected metrics.
CREATE TABLE rules (
    org TEXT NOT NULL,
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (org, app, id)
) WITHOUT ROWID;

CREATE TABLE policies (
    org TEXT NOT NULL,
    app TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (org, app)
) WITHOUT ROWID;

CREATE TABLE metrics (
    org TEXT NOT NULL,
    app TEXT NOT NULL,
    bucket_ms INTEGER NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    granularity_s INTEGER NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (org, app, bucket_ms, type, name)
) WITHOUT ROWID;
