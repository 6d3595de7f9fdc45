-- min build: 20260101000000_initial
-- Older builds refuse message threads and do not know this table.

-- Which request of which session an answer of the model API answered, by the id that the API gave it: a client that continues a message thread names only that id. Ids only; what was said is in the log.
CREATE TABLE thread_answer (
  tenant_id  uuid           NOT NULL,
  user_id    uuid           NOT NULL, -- whose client got the answer, and may continue it
  answer_id  text           NOT NULL CHECK (length(answer_id) BETWEEN 1 AND 200),
  request_id uuid           NOT NULL, -- part of the key: an id that came with two answers names neither
  session_id uuid           NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, user_id, answer_id, request_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user
);

CREATE TRIGGER thread_answer_immutable BEFORE UPDATE ON thread_answer FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER thread_answer_no_truncate BEFORE TRUNCATE ON thread_answer FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

GRANT SELECT, INSERT ON thread_answer TO verbatim_app;
ALTER TABLE thread_answer ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON thread_answer TO verbatim_app USING (tenant_id = current_tenant());
