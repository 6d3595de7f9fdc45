-- Writes what an append changes in the session list and in the search, in the commit of that append: called with its outcome and
-- timestamp, does nothing unless it appended. The arrays are parallel: item i of each describes a text. An empty text deletes the row.
CREATE OR REPLACE FUNCTION project_session(
  p_outcome text, p_at timestamptz,
  p_tenant uuid, p_session uuid, p_user uuid,
  p_facts jsonb,                            -- {messages, moved, firstText, lastText, usage, archived, metadata}: see SessionProjection
  p_language regconfig,
  p_ids uuid[], p_kinds text[], p_texts text[],
  p_hidden uuid[], p_shown uuid[]           -- messages that leave the conversation, and that return to it
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  moved boolean := (p_facts->>'moved')::boolean;
  terms tsvector;
  one   record;
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  -- Not an INSERT … ON CONFLICT, for the reason in append_events.
  UPDATE session_summary s SET
    message_count = s.message_count + (p_facts->>'messages')::int,
    first_text = CASE WHEN moved THEN p_facts->>'firstText' ELSE coalesce(s.first_text, p_facts->>'firstText') END,
    last_text = CASE WHEN moved THEN p_facts->>'lastText' ELSE coalesce(p_facts->>'lastText', s.last_text) END,
    usage = coalesce(nullif(p_facts->'usage', 'null'), s.usage),
    metadata = coalesce(nullif(p_facts->'metadata', 'null'), s.metadata)
  WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  IF NOT FOUND THEN
    INSERT INTO session_summary (session_id, tenant_id, message_count, first_text, last_text, usage, metadata)
    VALUES (p_session, p_tenant, (p_facts->>'messages')::int, p_facts->>'firstText', p_facts->>'lastText', p_facts->'usage', coalesce(nullif(p_facts->'metadata', 'null'), '{}'));
  END IF;
  IF p_facts->>'archived' IS NOT NULL THEN
    UPDATE session s SET archived = (p_facts->>'archived')::boolean
    WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND s.archived <> (p_facts->>'archived')::boolean;
  END IF;
  IF cardinality(p_ids) > 0 THEN
    -- Postgres takes <name> for a tag and skips it: in code it is not one.
    -- The words include the user and the tenant, as words that no text contains: the index then finds little besides what the caller may read.
    -- The first digits of their ids are enough, since every search compares the ids themselves as well.
    FOR one IN SELECT t.* FROM unnest(p_ids, p_kinds, p_texts) AS t(id, kind, text) WHERE t.text <> '' LOOP
      terms := array_to_tsvector(ARRAY[chr(1) || 'u' || left(p_user::text, 8), chr(1) || 't' || left(p_tenant::text, 8)]) || to_tsvector(p_language, replace(one.text, '<', ' '));
      INSERT INTO search_text (session_id, message_id, tenant_id, user_id, kind, is_current, recorded_at, text, words)
      VALUES (p_session, one.id, p_tenant, p_user, one.kind, true, p_at, one.text, terms)
      ON CONFLICT (tenant_id, session_id, message_id) DO UPDATE SET text = excluded.text, words = excluded.words, recorded_at = excluded.recorded_at;
    END LOOP;
    IF '' = ANY (p_texts) THEN
      DELETE FROM search_text s WHERE s.tenant_id = p_tenant AND s.session_id = p_session
        AND s.message_id IN (SELECT t.id FROM unnest(p_ids, p_texts) AS t(id, text) WHERE t.text = '');
    END IF;
  END IF;
  IF cardinality(p_hidden) > 0 OR cardinality(p_shown) > 0 THEN
    UPDATE search_text s SET is_current = (s.message_id = ANY (p_shown))
    WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND s.message_id = ANY (p_hidden || p_shown);
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION project_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_session TO verbatim_app;
