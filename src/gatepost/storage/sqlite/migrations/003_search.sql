-- Word search. `search_migration.py` indexes what is there already.

-- What can be found: a document (seq 0) or an event at a place. The newest has the highest number. `mark` tells
-- whether its words changed. `text` holds its other words until they are moved into the index, and is null then.
-- A row that was replaced while it was in the index waits to leave it with a negative seq.
CREATE TABLE searched (
  number    INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  place     TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  live      INTEGER NOT NULL,
  mark      INTEGER NOT NULL,
  title     TEXT NOT NULL,
  text      TEXT
) STRICT;

CREATE UNIQUE INDEX searched_at ON searched (workspace, place, seq);

CREATE INDEX searched_waiting ON searched (workspace, number) WHERE text IS NOT NULL;

-- The words: each with its workspace before it and each of its beginnings, so that every query is a look-up of whole
-- tokens. They are ours: this tokenizer neither splits nor folds them. It keeps the rows of a token and nothing else.
CREATE VIRTUAL TABLE search_index USING fts5 (
  tokens, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_:'"
);

CREATE VIRTUAL TABLE search_tokens USING fts5vocab (search_index, instance);

-- Words were terms before.
DELETE FROM terms WHERE term >= 'word:' AND term < 'word;';
