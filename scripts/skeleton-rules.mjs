/** The SQL function that knows what an erasure leaves of each event, from the skeletons of `packages/protocol/events`. */
export function skeletonRules(events) {
  const rules = Object.entries(events).flatMap(([type, { skeleton: members }]) =>
    members ? [`  ${JSON.stringify(type)}:${JSON.stringify({ members })}`] : [],
  );
  return `-- What an erasure leaves of the data of each event type; a type that is not here is never erased. Generated from packages/protocol/events by \`npm run documents\`.
CREATE OR REPLACE FUNCTION skeleton_rules() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT $rules$\n{\n${rules.join(',\n')}\n}\n$rules$::jsonb
$$;

REVOKE ALL ON FUNCTION skeleton_rules FROM PUBLIC;
`;
}
