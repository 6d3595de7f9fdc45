-- min build: 20260101000000_initial
-- Older builds revoke links without saying who did.

ALTER TABLE session_link ADD COLUMN revoked_by uuid; -- null: it is not revoked, or was by an older build
GRANT UPDATE (revoked_by) ON session_link TO verbatim_app;
