-- What a document was at any moment, and who changed it, however much was written elsewhere.

CREATE INDEX IF NOT EXISTS images_of_place ON images (workspace, place, operation);
