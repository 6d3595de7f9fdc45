-- online
-- min build: 20260101000000_initial
-- Older builds do not list what was done in a tenant; their statements do not change.

-- What was erased, held, shared and opened in the sessions of a tenant, newest first. Few events are of these types. With a collation of its own, so that no other statement uses it than the one that
-- names that collation: what looks for the erasures of some sessions would otherwise read those of all.
CREATE INDEX CONCURRENTLY event_activity ON event (tenant_id, type COLLATE "C", recorded_at, event_id)
  WHERE type COLLATE "C" IN ('content.erased', 'hold.placed', 'hold.released', 'session.granted', 'session.grant_revoked', 'glass.broken');

CREATE INDEX CONCURRENTLY session_link_by_creation ON session_link (tenant_id, created_at, link_id);

CREATE INDEX CONCURRENTLY session_link_by_revocation ON session_link (tenant_id, revoked_at, link_id) WHERE revoked_at IS NOT NULL;

CREATE INDEX CONCURRENTLY user_erasure_by_time ON user_erasure (tenant_id, started_at, erasure_id);
