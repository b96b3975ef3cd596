-- What each taskdoc package held when it was last written into a project folder: `body` is JSON. It tells an
-- unfinished write from somebody's act. It is about a folder and no part of the log: a repair does without it.

CREATE TABLE IF NOT EXISTS written (
  workspace INTEGER NOT NULL,
  folder    TEXT NOT NULL,
  taskdoc   TEXT NOT NULL,
  body      TEXT NOT NULL,
  PRIMARY KEY (workspace, folder, taskdoc)
) STRICT, WITHOUT ROWID;
