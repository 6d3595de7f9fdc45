-- Erases what the content.erased event that this transaction has just appended names, and nothing else: replaces the data of each event by
-- what the event gives for it, which must be its skeleton, and removes the salt, without which the digest confirms no guess. Digest and hash stay,
-- so that the chain verifies. Also deletes the receipts of those commands, and files that no other session of the tenant has; with the last content of a session or file, its data key.
CREATE OR REPLACE FUNCTION erase_content(
  p_outcome text, p_tenant uuid, p_session uuid,
  p_seq bigint,                             -- of the event content.erased, the last one of the append
  p_files bytea[]                           -- SHA-256 of the files to take from the session; null: all
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  erasure  json;
  seqs     bigint[];
  erased   int;
  rules    jsonb := skeleton_rules();
  file     bytea;
  file_key uuid;
  own      xid8;
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  own := pg_current_xact_id();
  SELECT e.data INTO erasure FROM event e
  WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq = p_seq AND e.type = 'content.erased' AND e.xact_id = own;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'erase_content rejected: event % of session % is not a content.erased event of this transaction', p_seq, p_session
      USING ERRCODE = 'VB003', HINT = 'Append the event with append_events in the same statement.';
  END IF;
  IF is_held(p_tenant, p_session) THEN
    RAISE EXCEPTION 'erase_content rejected: session % is under a legal hold', p_session
      USING ERRCODE = 'VB004', HINT = 'Release the hold first.';
  END IF;

  -- For the nodes of a distributed database: see guard_event. In a block, since Citus hands on what is set in one.
  EXECUTE format('DO %L', format('BEGIN SET LOCAL verbatim.transaction = %L; END', own));
  seqs := ARRAY(SELECT (item->>'seq')::bigint FROM json_array_elements(erasure->'events') AS item);
  UPDATE event e SET data = named.data, salt = NULL
  FROM (SELECT (item->>'seq')::bigint AS seq, item->'data' AS data FROM json_array_elements(erasure->'events') AS item) named
  WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq = named.seq AND e.seq < p_seq AND e.salt IS NOT NULL
    AND is_skeleton_of(rules->e.type, e.data, named.data::jsonb);
  GET DIAGNOSTICS erased = ROW_COUNT;
  IF erased <> cardinality(seqs) THEN
    RAISE EXCEPTION 'erase_content rejected: of % events that the erasure names, % can be erased', cardinality(seqs), erased
      USING ERRCODE = 'VB003', HINT = 'Name each event once, with its skeleton: earlier ones of this session that are not erased yet.';
  END IF;

  IF erasure->>'scope' = 'session' THEN
    UPDATE erased_session s SET is_complete = (erasure->>'isComplete')::boolean, updated_at = now() WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
    IF NOT FOUND THEN
      INSERT INTO erased_session (session_id, tenant_id, is_complete) VALUES (p_session, p_tenant, (erasure->>'isComplete')::boolean);
      PERFORM add_to_totals(p_tenant, ARRAY['00000000-0000-0000-0000-000000000000', l.user_id], '-infinity', 0, 0, 0, -1, 0) FROM session l WHERE l.tenant_id = p_tenant AND l.session_id = p_session;
    END IF;
    IF (erasure->>'isComplete')::boolean THEN
      UPDATE session l SET is_erased = true WHERE l.tenant_id = p_tenant AND l.session_id = p_session;
      UPDATE session l SET is_orphaned = true WHERE l.tenant_id = p_tenant AND l.parent_id = p_session;
      DELETE FROM session_retention r WHERE r.tenant_id = p_tenant AND r.session_id = p_session;
      DELETE FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = p_session;
    END IF;
    DELETE FROM session_schedule c WHERE c.tenant_id = p_tenant AND c.session_id = p_session;
    DELETE FROM session_grant g WHERE g.tenant_id = p_tenant AND g.session_id = p_session;
    -- Who made and revoked links stays, as who had read by them does.
    UPDATE session_link l SET message_id = NULL, expires_at = least(l.expires_at, now()) WHERE l.tenant_id = p_tenant AND l.session_id = p_session;
  END IF;

  -- The digest of a conversation confirms a guess of it.
  DELETE FROM thread_answer a WHERE a.tenant_id = p_tenant AND a.session_id = p_session AND a.answer_id LIKE 'history %';

  -- The salt of a receipt lies beside its digest, so that a guess of a short request could be tested with it.
  DELETE FROM receipt r USING event e
  WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq = ANY (seqs) AND r.tenant_id = p_tenant AND r.command_id = e.command_id;
  DELETE FROM receipt r WHERE r.tenant_id = p_tenant AND r.session_id = p_session AND r.last_seq < r.first_seq;

  PERFORM lock_files(p_tenant, l.user_id, ARRAY(SELECT u.sha256 FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session AND (p_files IS NULL OR u.sha256 = ANY (p_files))))
  FROM session l WHERE l.tenant_id = p_tenant AND l.session_id = p_session;
  -- One by one, in order: another session may begin to use a file at the same time, which then keeps it.
  FOR file IN SELECT u.sha256 FROM blob_use u
    WHERE u.tenant_id = p_tenant AND u.session_id = p_session AND (p_files IS NULL OR u.sha256 = ANY (p_files)) ORDER BY u.sha256
  LOOP
    DELETE FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session AND u.sha256 = file;
    BEGIN
      DELETE FROM blob b WHERE b.tenant_id = p_tenant AND b.sha256 = file
        AND NOT EXISTS (SELECT FROM blob_use u WHERE u.tenant_id = p_tenant AND u.sha256 = file)
      RETURNING b.data_key INTO file_key;
      DELETE FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = file_key;
    EXCEPTION WHEN foreign_key_violation THEN
      NULL;
    END;
  END LOOP;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION erase_content FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_content TO verbatim_app;
