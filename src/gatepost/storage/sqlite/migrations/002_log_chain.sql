-- A chain of hashes over the log. `chain_migration.py` computes those of the operations that are there already.

ALTER TABLE operations ADD COLUMN hash TEXT NOT NULL DEFAULT '';

ALTER TABLE workspaces ADD COLUMN hash TEXT NOT NULL DEFAULT '';
