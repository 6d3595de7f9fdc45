-- What an erasure leaves of a JSON value by a rule of skeleton_rules; null: nothing. The same as skeletonBy of packages/protocol/shape/skeleton-rule.ts, where the kinds of rules
-- are described.
CREATE OR REPLACE FUNCTION skeleton_by(p_rule jsonb, p_data jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  given text := jsonb_typeof(p_data);
  found jsonb;
BEGIN
  IF p_rule ? 'const' THEN
    RETURN p_rule->'const';
  ELSIF p_rule ? 'keep' THEN
    IF EXISTS (
      SELECT FROM jsonb_array_elements_text(p_rule->'keep') AS kept(kind) WHERE CASE given
        WHEN 'string' THEN kept.kind LIKE '^%' AND (p_data#>>'{}') COLLATE "C" ~ kept.kind
        WHEN 'boolean' THEN kept.kind IN ('boolean', p_data::text)
        ELSE kept.kind = given END)
    THEN
      found := p_data;
    END IF;
  ELSIF p_rule ? 'items' THEN
    IF given = 'array' THEN
      SELECT coalesce(jsonb_agg(item.skeleton ORDER BY item.ordinal) FILTER (WHERE item.skeleton IS NOT NULL), '[]') INTO found
      FROM (SELECT skeleton_by(p_rule->'items', e.value) AS skeleton, e.ordinal FROM jsonb_array_elements(p_data) WITH ORDINALITY AS e(value, ordinal)) AS item;
      IF found = '[]' AND p_rule ? 'else' THEN
        found := NULL;
      END IF;
    END IF;
  ELSIF given = 'object' AND p_rule ? 'by' THEN
    IF jsonb_typeof(p_data->(p_rule->>'by')) = 'string' AND p_rule->'cases' ? (p_data->>(p_rule->>'by')) THEN
      found := skeleton_by(p_rule->'cases'->(p_data->>(p_rule->>'by')), p_data);
    END IF;
  ELSIF given = 'object' THEN
    SELECT coalesce(jsonb_object_agg(member.name, member.skeleton) FILTER (WHERE member.skeleton IS NOT NULL), '{}') INTO found
    FROM (
      SELECT r.name, skeleton_by(r.rule, p_data->r.name) AS skeleton FROM jsonb_each(p_rule->'members') AS r(name, rule)
      UNION ALL
      SELECT e.name, skeleton_by(p_rule->'entries', e.value) FROM jsonb_each(p_data) AS e(name, value)
      WHERE p_rule ? 'entries' AND e.name COLLATE "C" ~ (p_rule->>'named')
    ) AS member;
    IF EXISTS (SELECT FROM jsonb_array_elements_text(p_rule->'needs') AS needed(name) WHERE NOT found ? needed.name) THEN
      found := NULL;
    END IF;
  END IF;
  RETURN CASE WHEN found IS NULL AND p_rule ? 'else' THEN skeleton_by(p_rule->'else', p_data) ELSE found END;
END $$;

REVOKE ALL ON FUNCTION skeleton_by FROM PUBLIC;
