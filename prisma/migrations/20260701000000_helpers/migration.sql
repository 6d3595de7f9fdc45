-- min build: 20260101000000_initial
-- Older builds write no helpers, and list those of newer ones among the other sessions. They take a call that a helper carries out for one that was lost: add Agent to TOOLS when all processes are of this build.

-- Of a helper: the session that made it, the turn with the call, and its own turn for that call until the turn of the parent has its result or is over. See open_helpers.
-- is_orphaned: the content of the parent was erased, and with it that of the helper is due; see erase_content and expired_sessions.
ALTER TABLE session ADD COLUMN parent_id uuid, ADD COLUMN parent_turn_id uuid, ADD COLUMN helper_turn_id uuid, ADD COLUMN is_orphaned boolean NOT NULL DEFAULT false;
ALTER TABLE session ADD CONSTRAINT session_helper_check CHECK ((parent_id IS NULL) = (parent_turn_id IS NULL) AND (parent_id IS NOT NULL OR helper_turn_id IS NULL));
CREATE INDEX session_by_parent ON session (tenant_id, parent_id, updated_at, session_id) WHERE parent_id IS NOT NULL;
CREATE INDEX session_open_helper ON session (updated_at) WHERE helper_turn_id IS NOT NULL;
CREATE INDEX session_orphaned ON session (updated_at) WHERE is_orphaned AND NOT is_erased;
