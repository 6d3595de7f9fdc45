-- Turns that wait for somebody are looked for as stalled ones are: few among many sessions.
CREATE INDEX session_waiting ON session (updated_at) WHERE status = 'waiting';
