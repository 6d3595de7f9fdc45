-- online
-- min build: 20260101000000_initial
-- Older builds write no histories, and look for none.
-- A client that names its conversation by nothing is found by the conversation up to an answer: thread_answer.answer_id is then 'history ' and a digest. It confirms a guess of what was said, so that
-- erase_content deletes it.

CREATE INDEX CONCURRENTLY thread_answer_history ON thread_answer (tenant_id, session_id) WHERE answer_id LIKE 'history %';
