-- min build: 20260101000000_initial
-- Older builds do not know the events of schedules: a schedule is made by a request, so make the first one when all processes are of this build.

-- When a schedule of prompts is due next: a row for each one that is not paused. A projection of the log, written by plan_run in the commit of the event; erase_content deletes it.
CREATE TABLE session_schedule (
  tenant_id   uuid           NOT NULL,
  session_id  uuid           NOT NULL,
  schedule_id uuid           NOT NULL,
  next_run_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, session_id, schedule_id)
);
CREATE INDEX session_schedule_by_time ON session_schedule (next_run_at, schedule_id);

GRANT SELECT ON session_schedule TO verbatim_app;
ALTER TABLE session_schedule ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON session_schedule TO verbatim_app USING (tenant_id = current_tenant());
