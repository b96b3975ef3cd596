-- What a document was, and which tasks a plan had, at any moment: the images of one place in order, and those by which
-- a task left a plan (deleted, or moved to another one).

CREATE INDEX IF NOT EXISTS images_of_place ON images (workspace, place, operation);

CREATE INDEX IF NOT EXISTS images_of_leaving ON images (
  workspace,
  CASE WHEN instr(place, '.') = 0 AND place >= 't' AND place < 'u' AND json_valid(before) AND
    (after IS NULL OR json_valid(after) AND json_extract(after, '$.plan') IS NOT json_extract(before, '$.plan'))
  THEN json_extract(before, '$.plan') END,
  operation
) WHERE
  CASE WHEN instr(place, '.') = 0 AND place >= 't' AND place < 'u' AND json_valid(before) AND
    (after IS NULL OR json_valid(after) AND json_extract(after, '$.plan') IS NOT json_extract(before, '$.plan'))
  THEN json_extract(before, '$.plan') END IS NOT NULL;
