-- Sessions of all tenants with a retention that is over: their tenant's or their own. Without those under a legal hold and those that are erased. A fork shows what its
-- parent would lose: the parent waits for it. The two ways to be due are two searches, each by its own index; archived is written out for the index.
CREATE OR REPLACE FUNCTION expired_sessions(p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid, version bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  (SELECT d.tenant_id, d.session_id, d.version FROM tenant_setting t, LATERAL (
      SELECT s.tenant_id, s.session_id, v.version FROM session s JOIN stream v USING (session_id)
      WHERE s.tenant_id = t.tenant_id AND s.archived IN (false, true)
        AND s.updated_at < clock_timestamp() - (t.value::text)::int * interval '1 day'
        AND s.status <> 'importing' AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.session_id = s.session_id)
        AND NOT EXISTS (SELECT FROM erased_session x WHERE x.session_id = s.session_id AND x.is_complete)
        AND NOT EXISTS (SELECT FROM event f WHERE f.type = 'session.forked' AND f.data->>'from' = s.session_id::text
          AND NOT EXISTS (SELECT FROM erased_session x WHERE x.session_id = f.session_id AND x.is_complete))
      LIMIT p_limit) d
    WHERE t.name = 'retentionDays' AND t.value::text <> 'null')
  UNION
  (SELECT s.tenant_id, s.session_id, v.version FROM session_retention r JOIN session s USING (session_id) JOIN stream v USING (session_id)
    WHERE s.updated_at < clock_timestamp() - r.days * interval '1 day'
        AND s.status <> 'importing' AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.session_id = s.session_id)
        AND NOT EXISTS (SELECT FROM erased_session x WHERE x.session_id = s.session_id AND x.is_complete)
        AND NOT EXISTS (SELECT FROM event f WHERE f.type = 'session.forked' AND f.data->>'from' = s.session_id::text
          AND NOT EXISTS (SELECT FROM erased_session x WHERE x.session_id = f.session_id AND x.is_complete))
    LIMIT p_limit)
  LIMIT p_limit
$$;
