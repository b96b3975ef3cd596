-- Notes, newest first, however much was written after them: those of a plan or task with its steps, and those of one
-- step or of the task itself. Only notes are in these indexes, so other events cost nothing.

CREATE INDEX IF NOT EXISTS notes_of_root ON events (workspace, root, seq)
WHERE substr(body, 1, 20) = '{"type":"step_noted"';

CREATE INDEX IF NOT EXISTS notes_of_step ON events (workspace, root, step_id, seq)
WHERE substr(body, 1, 20) = '{"type":"step_noted"';
