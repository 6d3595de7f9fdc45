-- What keeps recorded rows as they are, and tenants apart, and is not there as the migrations make it: a row for each difference, none if there is none. `mend` is the statement with which a start puts
-- it back; null: a person has to look. It reads the catalogue only. A trigger that is ALWAYS also works under session_replication_role = replica; what re-enables all triggers of a table, as a restore
-- of its rows alone does, leaves an ordinary one.
CREATE OR REPLACE FUNCTION missing_guards() RETURNS TABLE (of_table text, problem text, mend text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY WITH
  -- Rows of these tables are immutable, and are written by functions only, but for thread_answer and tlog_anchor; `changes`: what is rejected.
  recorded(of_table, changes, guard) AS (VALUES
    ('event', 'DELETE OR UPDATE', 'guard_event'), ('receipt', 'UPDATE', 'reject_change'),
    ('tlog_run', 'DELETE OR UPDATE', 'reject_change'), ('tlog_tile', 'DELETE OR UPDATE', 'reject_change'),
    ('tlog_checkpoint', 'DELETE OR UPDATE', 'reject_change'), ('tlog_anchor', 'DELETE OR UPDATE', 'reject_change'),
    ('memory_change', 'UPDATE', 'reject_change'), ('thread_answer', 'UPDATE', 'reject_change'),
    ('tenant_setting_change', 'DELETE OR UPDATE', 'reject_change'), ('tenant_handover', 'DELETE OR UPDATE', 'reject_change')),
  -- As pg_get_triggerdef writes them.
  trigger(of_table, name, makes, enabled) AS (
    SELECT r.of_table, r.of_table || '_immutable', format('BEFORE %s ON public.%I FOR EACH ROW EXECUTE FUNCTION %s()', r.changes, r.of_table, r.guard), 'A' FROM recorded r
    UNION ALL SELECT r.of_table, r.of_table || '_no_truncate', format('BEFORE TRUNCATE ON public.%I FOR EACH STATEMENT EXECUTE FUNCTION reject_change()', r.of_table), 'A' FROM recorded r
    UNION ALL VALUES
    ('stream', 'stream_version_increases', 'AFTER DELETE OR UPDATE ON public.stream FOR EACH ROW EXECUTE FUNCTION guard_stream()', 'A'),
    ('stream', 'stream_no_truncate', 'BEFORE TRUNCATE ON public.stream FOR EACH STATEMENT EXECUTE FUNCTION guard_stream()', 'A'),
    ('api_token', 'api_token_revocation_final', 'BEFORE UPDATE ON public.api_token FOR EACH ROW EXECUTE FUNCTION guard_revocation()', 'A'),
    -- They count, and name objects to remove: not for rows that a replica gets with their counts.
    ('blob', 'blob_counted', 'AFTER INSERT OR DELETE ON public.blob FOR EACH ROW EXECUTE FUNCTION count_blob()', 'O'),
    ('blob', 'blob_object_removed', 'AFTER DELETE ON public.blob FOR EACH ROW WHEN ((old.object IS NOT NULL)) EXECUTE FUNCTION remove_object()', 'O'),
    ('blob_use', 'blob_use_locked', 'BEFORE INSERT ON public.blob_use FOR EACH ROW EXECUTE FUNCTION count_blob_use()', 'O'),
    ('blob_use', 'blob_use_counted', 'AFTER INSERT OR DELETE ON public.blob_use FOR EACH ROW EXECUTE FUNCTION count_blob_use()', 'O')),
  -- With row level security: the rows of a tenant are visible to the application when it has named that tenant.
  of_tenants(of_table) AS (SELECT unnest(ARRAY[
    'api_token', 'app_user', 'blob', 'blob_use', 'data_key', 'erased_session', 'event', 'legal_hold', 'log_archive', 'memory_change', 'object_removal', 'outbox', 'receipt', 'search_text', 'session',
    'session_grant', 'session_link', 'session_pin', 'session_retention', 'session_schedule', 'session_summary', 'sign_in', 'sign_in_code', 'stream', 'stream_ticket', 'tenant', 'tenant_handover',
    'tenant_setting', 'tenant_setting_change', 'thread_answer', 'tlog_run', 'usage', 'usage_total', 'user_erasure'])),
  named(of_table) AS (SELECT t.of_table FROM of_tenants t UNION SELECT t.of_table FROM trigger t),
  present AS (
    SELECT n.of_table, c.oid, c.relkind, c.relpersistence, c.relrowsecurity
    FROM named n LEFT JOIN pg_class c ON c.relname = n.of_table AND c.relnamespace = 'public'::regnamespace)

  SELECT p.of_table, CASE WHEN p.oid IS NULL THEN 'there is no such table' ELSE 'it is no ordinary table whose rows survive a crash' END, NULL
  FROM present p WHERE p.oid IS NULL OR p.relkind <> 'r' OR p.relpersistence <> 'p'
  UNION ALL
  SELECT p.of_table, format('the rows of %s are read with it, which has none of its guards', i.inhrelid::regclass), NULL FROM present p JOIN pg_inherits i ON i.inhparent = p.oid
  UNION ALL
  SELECT p.of_table, format('it is a part of %s, through which its rows can be reached', i.inhparent::regclass), NULL FROM present p JOIN pg_inherits i ON i.inhrelid = p.oid
  UNION ALL
  SELECT p.of_table, format('the rule %s changes what statements do to it', r.rulename), NULL FROM present p JOIN pg_rewrite r ON r.ev_class = p.oid
  UNION ALL
  SELECT t.of_table, format('the trigger %s is %s', t.name, CASE WHEN g.oid IS NULL THEN 'missing' WHEN d.definition <> d.wanted THEN 'another one' WHEN g.tgenabled = 'D' THEN 'disabled' ELSE 'not ' || CASE t.enabled WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END END),
    format('%s%s; ALTER TABLE public.%I ENABLE %sTRIGGER %I', CASE WHEN g.oid IS NOT NULL AND d.definition <> d.wanted THEN format('DROP TRIGGER %I ON public.%I; ', t.name, t.of_table) ELSE '' END,
      regexp_replace(d.wanted, '^CREATE', 'CREATE OR REPLACE'), t.of_table, CASE t.enabled WHEN 'A' THEN 'ALWAYS ' ELSE '' END, t.name)
  FROM trigger t JOIN present p ON p.of_table = t.of_table AND p.oid IS NOT NULL
    LEFT JOIN pg_trigger g ON g.tgrelid = p.oid AND g.tgname = t.name AND NOT g.tgisinternal
    CROSS JOIN LATERAL (SELECT pg_get_triggerdef(g.oid) AS definition, format('CREATE TRIGGER %I %s', t.name, t.makes) AS wanted) d
  WHERE d.definition IS DISTINCT FROM d.wanted OR g.tgenabled::text <> t.enabled
  UNION ALL
  SELECT p.of_table, format('%s may %s', CASE r.who WHEN 0 THEN 'every role' ELSE r.who::regrole::text END, lower(r.may)), format('REVOKE %s ON public.%I FROM %s', r.may, p.of_table, CASE r.who WHEN 0 THEN 'PUBLIC' ELSE r.who::regrole::text END)
      || CASE WHEN p.of_table = 'tlog_anchor' AND r.may = 'INSERT' AND r.who <> 0 THEN '; GRANT INSERT (size, target, receipt) ON public.tlog_anchor TO verbatim_app' ELSE '' END -- a right to a table is revoked with those to its columns
  FROM recorded c JOIN present p ON p.of_table = c.of_table
    CROSS JOIN LATERAL (
      SELECT a.grantee AS who, a.privilege_type AS may FROM pg_class k, aclexplode(k.relacl) a WHERE k.oid = p.oid AND NOT (p.of_table = 'thread_answer' AND a.privilege_type = 'INSERT')
      UNION SELECT a.grantee, a.privilege_type FROM pg_attribute k, aclexplode(k.attacl) a WHERE k.attrelid = p.oid AND NOT (p.of_table = 'tlog_anchor' AND a.privilege_type = 'INSERT')) r
  WHERE (r.who = 0 OR r.who = (SELECT o.oid FROM pg_roles o WHERE o.rolname = 'verbatim_app')) AND r.may <> 'SELECT'
  UNION ALL
  SELECT t.of_table, 'row level security is off', format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', t.of_table)
  FROM of_tenants t JOIN present p ON p.of_table = t.of_table WHERE NOT p.relrowsecurity
  UNION ALL
  SELECT t.of_table, CASE WHEN o.polname IS NULL THEN 'the policy one_tenant is missing' ELSE 'the policy one_tenant is another one' END,
    format('DROP POLICY IF EXISTS one_tenant ON public.%1$I; CREATE POLICY one_tenant ON public.%1$I TO verbatim_app USING (tenant_id = current_tenant())', t.of_table)
  FROM of_tenants t JOIN present p ON p.of_table = t.of_table AND p.oid IS NOT NULL LEFT JOIN pg_policy o ON o.polrelid = p.oid AND o.polname = 'one_tenant'
  WHERE (o.polcmd::text, o.polpermissive, o.polroles, pg_get_expr(o.polqual, o.polrelid), pg_get_expr(o.polwithcheck, o.polrelid))
    IS DISTINCT FROM ('*', true, ARRAY[(SELECT r.oid FROM pg_roles r WHERE r.rolname = 'verbatim_app')], '(tenant_id = current_tenant())', NULL)
  UNION ALL
  SELECT t.of_table, format('the policy %s shows more than one tenant''s rows', o.polname), NULL
  FROM of_tenants t JOIN present p ON p.of_table = t.of_table JOIN pg_policy o ON o.polrelid = p.oid AND o.polname <> 'one_tenant' AND o.polpermissive
    AND o.polroles && ARRAY[0::oid, (SELECT r.oid FROM pg_roles r WHERE r.rolname = 'verbatim_app')]
  ORDER BY 1, 2;
END $$;

REVOKE ALL ON FUNCTION missing_guards FROM PUBLIC;
GRANT EXECUTE ON FUNCTION missing_guards TO verbatim_app;
