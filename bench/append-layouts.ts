/** Two layouts of the log for a comparison: one row for each event and one for the receipt, as the store has it, and one row for each append. */
export interface Layout {
  readonly name: string;
  readonly tables: readonly string[];
  readonly create: string;
  /** With the parameters of PARAMETERS: one append. */
  readonly append: string;
  /** `(tenant, session, after)`: what a reader needs of the events after a position, in order. */
  readonly read: string;
  /** `(tenant, session, seq, data)`. */
  readonly erase: string;
}

const PARAMETERS = `p_tenant uuid, p_session uuid, p_base bigint, p_command uuid, p_request bytea, p_actor text, p_ids uuid[], p_types text[], p_schemas int[], p_data text[], p_head bytea`;

/** What append_events does for each event: a salt, a digest, and a link of the chain. */
const COMPUTE = `
  added int := cardinality(p_ids); at timestamptz(3) := clock_timestamp(); key_salt bytea := uuid_send(gen_random_uuid());
  link bytea := p_head; salts bytea[] := '{}'; digests bytea[] := '{}'; links bytea[] := '{}';
BEGIN
  FOR i IN 1..added LOOP
    salts[i] := uuid_send(gen_random_uuid());
    digests[i] := sha256(salts[i] || convert_to(p_data[i], 'UTF8'));
    link := chain_hash(link, p_session, p_base + i, p_tenant, p_ids[i], p_command, p_schemas[i], at, digests[i], p_actor, p_types[i]);
    links[i] := link;
  END LOOP;`;

const CALL = '($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';

export const BY_EVENT: Layout = {
  name: 'a row for each event',
  tables: ['by_event', 'by_event_receipt'],
  create: `CREATE TABLE by_event (LIKE event INCLUDING ALL); CREATE TABLE by_event_receipt (LIKE receipt INCLUDING ALL);
    CREATE FUNCTION append_by_event(${PARAMETERS}) RETURNS bytea LANGUAGE plpgsql AS $$ DECLARE ${COMPUTE}
      INSERT INTO by_event_receipt (tenant_id, command_id, salt, request_digest, session_id, first_seq, last_seq, created_at)
      VALUES (p_tenant, p_command, key_salt, sha256(key_salt || p_request), p_session, p_base + 1, p_base + added, at) ON CONFLICT DO NOTHING;
      INSERT INTO by_event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
      SELECT p_session, p_base + e.ordinal, p_tenant, e.id, p_command, e.type, e.schema, p_actor::json, e.data::json, salts[e.ordinal], e.digest, e.link, at
      FROM unnest(p_ids, p_types, p_schemas, p_data, digests, links) WITH ORDINALITY AS e(id, type, schema, data, digest, link, ordinal);
      RETURN link; END $$`,
  append: `SELECT append_by_event${CALL} AS link`,
  read: `SELECT seq, event_id, command_id, type, schema_version, actor::text, data::text, salt, digest, hash, recorded_at FROM by_event
    WHERE tenant_id = $1 AND session_id = $2 AND seq > $3 ORDER BY seq`,
  erase: 'UPDATE by_event SET data = $4, salt = NULL WHERE tenant_id = $1 AND session_id = $2 AND seq = $3',
};

/** With the checks, the indexes and the columns of both tables; `position` and `xact_id` are of the append. A NULL in `salts` marks what was erased. */
export const BY_APPEND: Layout = {
  name: 'a row for each append',
  tables: ['by_append'],
  create: `CREATE TABLE by_append (
      session_id uuid NOT NULL, first_seq bigint NOT NULL CHECK (first_seq > 0), position bigint GENERATED ALWAYS AS IDENTITY,
      xact_id xid8 NOT NULL DEFAULT pg_current_xact_id(), tenant_id uuid NOT NULL, command_id uuid NOT NULL,
      receipt_salt bytea CHECK (octet_length(receipt_salt) = 16), request_digest bytea CHECK (octet_length(request_digest) = 32),
      actor json NOT NULL, event_ids uuid[] NOT NULL, types text[] NOT NULL, schema_versions int[] NOT NULL, data json[] NOT NULL,
      salts bytea[] NOT NULL, digests bytea[] NOT NULL, hashes bytea[] NOT NULL, recorded_at timestamptz(3) NOT NULL,
      PRIMARY KEY (tenant_id, session_id, first_seq), UNIQUE (tenant_id, command_id)
    );
    CREATE INDEX ON by_append (xact_id, position); CREATE INDEX ON by_append (recorded_at);
    CREATE INDEX ON by_append (tenant_id, (data[1]->>'from')) WHERE types[1] = 'session.forked';
    CREATE FUNCTION append_by_append(${PARAMETERS}) RETURNS bytea LANGUAGE plpgsql AS $$ DECLARE ${COMPUTE}
      INSERT INTO by_append (session_id, first_seq, tenant_id, command_id, receipt_salt, request_digest, actor, event_ids, types, schema_versions, data, salts, digests, hashes, recorded_at)
      VALUES (p_session, p_base + 1, p_tenant, p_command, key_salt, sha256(key_salt || p_request), p_actor::json, p_ids, p_types, p_schemas, p_data::json[], salts, digests, links, at)
      ON CONFLICT DO NOTHING;
      RETURN link; END $$`,
  append: `SELECT append_by_append${CALL} AS link`,
  read: `SELECT a.first_seq + e.ordinal - 1 AS seq, e.event_id, a.command_id, e.type, e.schema_version, a.actor::text, e.data::text, e.salt, e.digest, e.hash, a.recorded_at
    FROM by_append a CROSS JOIN LATERAL unnest(a.event_ids, a.types, a.schema_versions, a.data, a.salts, a.digests, a.hashes)
      WITH ORDINALITY AS e(event_id, type, schema_version, data, salt, digest, hash, ordinal)
    WHERE a.tenant_id = $1 AND a.session_id = $2 AND a.first_seq + e.ordinal - 1 > $3
      AND a.first_seq >= coalesce((SELECT max(b.first_seq) FROM by_append b WHERE b.tenant_id = $1 AND b.session_id = $2 AND b.first_seq <= $3 + 1), 0)
    ORDER BY a.first_seq, e.ordinal`,
  erase: `UPDATE by_append SET data[$3 - first_seq + 1] = $4, salts[$3 - first_seq + 1] = NULL WHERE tenant_id = $1 AND session_id = $2
    AND first_seq = (SELECT max(b.first_seq) FROM by_append b WHERE b.tenant_id = $1 AND b.session_id = $2 AND b.first_seq <= $3)`,
};
