-- How many steps and tasks are claimed below a place.
ALTER TABLE tallies ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;

-- When the holder of a claim last made a call: renews its claims. It is no part of the log: a repair does without it.
CREATE TABLE IF NOT EXISTS leases (
  workspace INTEGER NOT NULL,
  holder    TEXT NOT NULL,
  seen_at   TEXT NOT NULL,
  PRIMARY KEY (workspace, holder)
) STRICT, WITHOUT ROWID;
