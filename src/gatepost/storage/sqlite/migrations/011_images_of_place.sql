-- What a document was at any moment, and who changed it, however much was written elsewhere.

CREATE INDEX IF NOT EXISTS images_of_place ON images (workspace, place, operation);

-- The tasks that a plan had: the images by which a task left its plan, deleted or moved to another one.
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
