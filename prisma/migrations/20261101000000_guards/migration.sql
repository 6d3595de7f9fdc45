-- min build: 20260101000000_initial

-- Recorded rows stay as they are under session_replication_role = replica, too.
ALTER TABLE memory_change ENABLE ALWAYS TRIGGER memory_change_immutable, ENABLE ALWAYS TRIGGER memory_change_no_truncate;
ALTER TABLE thread_answer ENABLE ALWAYS TRIGGER thread_answer_immutable, ENABLE ALWAYS TRIGGER thread_answer_no_truncate;
ALTER TABLE tenant_setting_change ENABLE ALWAYS TRIGGER tenant_setting_change_immutable, ENABLE ALWAYS TRIGGER tenant_setting_change_no_truncate;
ALTER TABLE tenant_handover ENABLE ALWAYS TRIGGER tenant_handover_immutable, ENABLE ALWAYS TRIGGER tenant_handover_no_truncate;
