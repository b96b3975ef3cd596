-- Done steps that are not proven, and the tasks of a plan. Existing stores are recounted (count_migration.py).
ALTER TABLE tallies ADD COLUMN unproven INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tallies ADD COLUMN tasks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tallies ADD COLUMN tasks_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tallies ADD COLUMN tasks_begun INTEGER NOT NULL DEFAULT 0;
