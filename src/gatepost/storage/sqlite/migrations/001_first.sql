-- Every key starts with the workspace. Texts are JSON; places sort as the tree does.

CREATE TABLE workspaces (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE,
  seq   INTEGER NOT NULL,
  plans INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  nodes INTEGER NOT NULL
) STRICT;

-- The state.
CREATE TABLE documents (
  workspace INTEGER NOT NULL,
  place     TEXT NOT NULL,
  text      TEXT NOT NULL,
  PRIMARY KEY (workspace, place)
) STRICT, WITHOUT ROWID;

-- What is counted beside it; kept after a deletion, so that nothing is numbered twice.
CREATE TABLE tallies (
  workspace INTEGER NOT NULL,
  place     TEXT NOT NULL,
  revision  INTEGER NOT NULL,
  next_step INTEGER NOT NULL,
  next_node INTEGER NOT NULL,
  total     INTEGER NOT NULL,
  done      INTEGER NOT NULL,
  blocked   INTEGER NOT NULL,
  ready     INTEGER NOT NULL,
  waiting   INTEGER NOT NULL,
  PRIMARY KEY (workspace, place)
) STRICT, WITHOUT ROWID;

-- What it is found by.
CREATE TABLE terms (
  workspace INTEGER NOT NULL,
  term      TEXT NOT NULL,
  place     TEXT NOT NULL,
  PRIMARY KEY (workspace, term, place)
) STRICT, WITHOUT ROWID;

-- Ids of steps and nodes; never removed, so that none is given twice.
CREATE TABLE names (
  workspace INTEGER NOT NULL,
  name      TEXT NOT NULL,
  place     TEXT NOT NULL,
  PRIMARY KEY (workspace, name)
) STRICT, WITHOUT ROWID;

-- The log.
CREATE TABLE events (
  workspace INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  operation INTEGER NOT NULL,
  at        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  root      TEXT,
  step_id   TEXT,
  path      TEXT,
  body      TEXT NOT NULL,
  PRIMARY KEY (workspace, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_of_root ON events (workspace, root, seq) WHERE root IS NOT NULL;

-- One row a call that changed something.
CREATE TABLE operations (
  workspace INTEGER NOT NULL,
  operation INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  tool      TEXT NOT NULL,
  at        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  kind      TEXT NOT NULL,
  of        INTEGER,
  undone_by INTEGER,
  PRIMARY KEY (workspace, operation)
) STRICT, WITHOUT ROWID;

-- Each document before and after each operation that changed it.
CREATE TABLE images (
  workspace INTEGER NOT NULL,
  place     TEXT NOT NULL,
  operation INTEGER NOT NULL,
  before    TEXT,
  after     TEXT,
  PRIMARY KEY (workspace, operation, place)
) STRICT, WITHOUT ROWID;

-- Evidence: large, kept apart from the log that mentions it.
CREATE TABLE artifacts (
  workspace INTEGER NOT NULL,
  place     TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  body      TEXT NOT NULL,
  PRIMARY KEY (workspace, place, seq DESC, number)
) STRICT, WITHOUT ROWID;

-- Which operations raised which revision.
CREATE TABLE touches (
  workspace INTEGER NOT NULL,
  place     TEXT NOT NULL,
  operation INTEGER NOT NULL,
  revision  INTEGER NOT NULL,
  PRIMARY KEY (workspace, place, operation)
) STRICT, WITHOUT ROWID;
