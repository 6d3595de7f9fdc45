-- A session whose history is still being brought in: nobody sees it before all of it is there.
ALTER TABLE session DROP CONSTRAINT session_status_check;
ALTER TABLE session ADD CONSTRAINT session_status_check CHECK (status IN ('idle', 'running', 'waiting', 'closed', 'importing'));
