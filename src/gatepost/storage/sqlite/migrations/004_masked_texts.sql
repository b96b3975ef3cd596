-- Earlier versions showed "[masked]" in place of what looked like a secret, and agents wrote that back. This table
-- says which texts held the word when that ended. A text under `events` or `artifacts` stays as it is for good.

CREATE TABLE IF NOT EXISTS masked_texts (
  workspace INTEGER NOT NULL,
  source    TEXT NOT NULL,
  place     TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, source, place, seq)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO masked_texts
SELECT workspace, 'documents', place, 0 FROM documents WHERE instr(text, '[masked]') > 0;

INSERT OR IGNORE INTO masked_texts
SELECT workspace, 'events', '', seq FROM events WHERE instr(body, '[masked]') > 0;

INSERT OR IGNORE INTO masked_texts
SELECT workspace, 'artifacts', place, seq FROM artifacts WHERE instr(body, '[masked]') > 0;
