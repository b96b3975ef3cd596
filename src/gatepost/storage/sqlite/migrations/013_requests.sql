-- Writes that were answered, by the ids that their callers gave them, so that a call sent twice is applied once. They
-- are no part of the log: a repair does without them. The rows are too large for a table without row numbers.
CREATE TABLE IF NOT EXISTS requests (
  workspace INTEGER NOT NULL,
  id        TEXT NOT NULL,
  at        TEXT NOT NULL,
  digest    TEXT NOT NULL,
  reply     TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT;

CREATE INDEX IF NOT EXISTS requests_by_time ON requests (workspace, at, id);
