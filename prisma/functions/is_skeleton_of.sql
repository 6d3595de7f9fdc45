-- Whether `p_left` is what an erasure leaves of `p_data`, by the rule for its event type; null: such an event is never erased. Of encrypted data, which is a text, the database
-- sees nothing: then, whether it can be what is left of anything. Escapes in texts are made unreadable first, since jsonb has no place for some of them; no text
-- that is kept has any.
CREATE OR REPLACE FUNCTION is_skeleton_of(p_rule jsonb, p_data json, p_left jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_left = coalesce(skeleton_by(p_rule, readable.data), skeleton_by(p_rule, '{}'))
  FROM (SELECT CASE json_typeof(p_data) WHEN 'string' THEN p_left ELSE replace(replace(p_data::text, '\\', '\b'), '\u', '\bu')::jsonb END AS data) AS readable
  WHERE p_rule IS NOT NULL
$$;

REVOKE ALL ON FUNCTION is_skeleton_of FROM PUBLIC;
