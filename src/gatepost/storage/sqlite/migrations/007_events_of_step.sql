-- The events of one step, newest first, without reading those of its whole task: notes come back with their step.

CREATE INDEX IF NOT EXISTS events_of_step ON events (workspace, step_id, seq) WHERE step_id IS NOT NULL;
