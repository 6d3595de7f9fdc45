-- Sessions of all tenants with a retention that is over, and since when: their tenant's or their own. Those of one part (null: of all), without those under a legal hold and those that are erased. A fork shows
-- what its parent would lose: the parent waits for it. A helper goes with its parent, whatever its own age. Each way to be due is a search by its own index, of which erased sessions are no part: a sweep costs what is due. A
-- retention of a session's own is looked at when it would end without a further change, and then put off to the end that the changes have given it. A variable holds the time: an index is not searched for one that changes during the search.
CREATE OR REPLACE FUNCTION expired_sessions(p_limit bigint, p_part int) RETURNS TABLE (tenant_id uuid, session_id uuid, version bigint, late_seconds float8)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  at timestamptz := statement_timestamp();
BEGIN
  -- In UTC: the sum of a timestamptz and days depends on the zone, which a distributed database refuses here.
  UPDATE session_retention r SET not_before = (s.updated_at AT TIME ZONE 'UTC' + r.days * interval '1 day') AT TIME ZONE 'UTC' FROM session s
  WHERE r.not_before <= at AND s.tenant_id = r.tenant_id AND s.session_id = r.session_id AND (s.updated_at AT TIME ZONE 'UTC' + r.days * interval '1 day') AT TIME ZONE 'UTC' > at;
  RETURN QUERY WITH kept AS (SELECT t.tenant_id, (t.value::text)::int * interval '1 day' AS age FROM tenant_setting t WHERE t.name = 'retentionDays' AND t.value::text <> 'null'),
  candidate AS (
    SELECT s.tenant_id, s.session_id, s.updated_at + k.age AS due_at FROM kept k JOIN session s ON s.tenant_id = k.tenant_id
    WHERE NOT s.archived AND s.updated_at < at - k.age AND s.status <> 'importing'
    UNION ALL
    SELECT s.tenant_id, s.session_id, s.updated_at + k.age FROM kept k JOIN session s ON s.tenant_id = k.tenant_id
    WHERE s.archived AND NOT s.is_erased AND s.updated_at < at - k.age AND s.status <> 'importing'
    UNION ALL
    SELECT s.tenant_id, s.session_id, s.updated_at + r.days * interval '1 day' FROM session_retention r JOIN session s USING (tenant_id, session_id)
    WHERE r.not_before <= at AND s.updated_at < at - r.days * interval '1 day' AND NOT s.is_erased AND s.status <> 'importing'
    UNION ALL
    SELECT s.tenant_id, s.session_id, s.updated_at FROM session s WHERE s.is_orphaned AND NOT s.is_erased),
  due AS (
    SELECT c.* FROM candidate c
    WHERE (p_part IS NULL OR erasure_part(c.session_id) = p_part) AND NOT is_held(c.tenant_id, c.session_id)
      AND NOT EXISTS (SELECT FROM session h WHERE h.tenant_id = c.tenant_id AND h.session_id = c.session_id AND h.parent_id IS NOT NULL AND NOT h.is_orphaned)
      AND NOT EXISTS (SELECT FROM event f WHERE f.tenant_id = c.tenant_id AND f.type = 'session.forked' AND f.data->>'from' = c.session_id::text
        AND NOT EXISTS (SELECT FROM erased_session x WHERE x.tenant_id = f.tenant_id AND x.session_id = f.session_id AND x.is_complete))
    LIMIT p_limit * 2) -- a session with both retentions is found twice
  SELECT d.tenant_id, d.session_id, v.version, extract(epoch FROM at - d.due_at)::float8 FROM (SELECT tenant_id, session_id, min(due_at) AS due_at FROM due GROUP BY 1, 2 LIMIT p_limit) d
  JOIN stream v USING (tenant_id, session_id);
END $$;

REVOKE ALL ON FUNCTION expired_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION expired_sessions TO verbatim_app;
