-- The initial schema: role, tables and indexes, functions, triggers, grants. Written by hand; schema.prisma describes these tables
-- to the generated client. Each function is also a file in prisma/functions, which has a README on how to change one.
--
-- Timestamps have millisecond precision, so that the values that clients receive, that are stored and that are compared are equal.

-- The role of the application, which connects as this role or as a member of it; the owner of the schema runs this file.
-- Roles are global to the server: the migration of another database may create the same role concurrently.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'verbatim_app') THEN
    CREATE ROLE verbatim_app NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role verbatim_app does not exist, and % is not permitted to create it', current_user
      USING HINT = 'Run CREATE ROLE verbatim_app NOLOGIN as an administrator, then start again.';
END $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Log
-- ---------------------------------------------------------------------------------------------------------------------

-- The head of each session's log: its version, and the hash of its last event.
CREATE TABLE stream (
  session_id uuid           NOT NULL,
  tenant_id  uuid           NOT NULL,
  version    bigint         NOT NULL CHECK (version > 0),
  head_hash  bytea          NOT NULL CHECK (octet_length(head_hash) = 32),
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02); -- every append updates its row: free space keeps these updates HOT

-- No foreign key to stream: append_events is the only writer, and the key would cost a lock and a look-up per event.
CREATE TABLE event (
  session_id     uuid           NOT NULL,
  seq            bigint         NOT NULL CHECK (seq > 0),
  position       bigint         GENERATED ALWAYS AS IDENTITY, -- increasing, with gaps; orders the events of one transaction
  xact_id        xid8           NOT NULL DEFAULT pg_current_xact_id(),
  tenant_id      uuid           NOT NULL,
  event_id       uuid           NOT NULL,
  command_id     uuid           NOT NULL,
  type           text           NOT NULL,
  schema_version int            NOT NULL,
  actor          json           NOT NULL,
  data           json           NOT NULL, -- json keeps the text byte for byte; jsonb would change keys and numbers and reject \u0000
  salt           bytea          CHECK (octet_length(salt) = 16), -- random: without it, the digest does not confirm a guess of data. Null: the content was erased, see erase_content
  digest         bytea          NOT NULL CHECK (octet_length(digest) = 32), -- SHA-256 of salt and the text of data
  hash           bytea          NOT NULL CHECK (octet_length(hash) = 32),   -- see chain_hash
  recorded_at    timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, session_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02); -- rows are updated by an erasure only: it is inserts that trigger the vacuum that index-only scans and freezing need
CREATE INDEX event_feed ON event (xact_id, position); -- of all tenants: see read_feed
CREATE INDEX event_forks ON event (tenant_id, (data->>'from')) WHERE type = 'session.forked'; -- the forks of a session

-- The result of each command, which makes commands idempotent. prune_receipts limits them to the period in which clients repeat a command.
CREATE TABLE receipt (
  tenant_id      uuid           NOT NULL,
  command_id     uuid           NOT NULL,
  salt           bytea          NOT NULL CHECK (octet_length(salt) = 16),
  request_digest bytea          NOT NULL CHECK (octet_length(request_digest) = 32), -- SHA-256 of salt and the request's hash
  session_id     uuid           NOT NULL,
  first_seq      bigint         NOT NULL,
  last_seq       bigint         NOT NULL,
  created_at     timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, command_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX receipt_by_age ON receipt (created_at); -- searched for receipts to prune
CREATE INDEX receipt_without_events ON receipt (tenant_id, session_id) WHERE last_seq < first_seq; -- an erasure finds all others by the commands of their events

-- ---------------------------------------------------------------------------------------------------------------------
-- Derived from the log, written in the same commit
-- ---------------------------------------------------------------------------------------------------------------------

-- The session list: one row per session, a projection of its log.
CREATE TABLE session (
  session_id   uuid           NOT NULL,
  tenant_id    uuid           NOT NULL,
  user_id      uuid           NOT NULL,
  title        text,
  model        text           NOT NULL,
  status       text           NOT NULL CHECK (status IN ('idle', 'running', 'waiting', 'closed', 'importing')), -- importing: not listed until the import is complete
  queue_length int            NOT NULL,
  turn_id      uuid,
  archived     boolean        NOT NULL DEFAULT false,
  created_at   timestamptz(3) NOT NULL,
  updated_at   timestamptz(3) NOT NULL,
  is_erased    boolean        NOT NULL DEFAULT false, -- all of its content: it is archived as well
  PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Every append changes updated_at, and with it every index: filters that match few sessions have a partial index, all others filter the list.
CREATE INDEX session_by_tenant ON session (tenant_id, archived, updated_at, session_id);
CREATE INDEX session_by_user ON session (tenant_id, user_id, archived, updated_at, session_id);
CREATE INDEX session_archived ON session (tenant_id, updated_at) WHERE archived AND NOT is_erased; -- searched for the end of a retention
CREATE INDEX session_closed ON session (tenant_id, archived, updated_at, session_id) WHERE status = 'closed';
CREATE INDEX session_running ON session (updated_at, session_id) WHERE status = 'running'; -- searched for orphaned turns
CREATE INDEX session_waiting ON session (updated_at) WHERE status = 'waiting'; -- searched for turns that have waited too long for a decision

-- The sessions under a legal hold, of which erase_content erases nothing; see hold_session.
CREATE TABLE legal_hold (
  session_id uuid           NOT NULL,
  tenant_id  uuid           NOT NULL,
  placed_at  timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, session_id)
);

-- Who has which role in a session, besides its first owner, who is in the table session: for lists. Requests are decided on the folded log. Written by share_session.
CREATE TABLE session_grant (
  session_id uuid NOT NULL,
  tenant_id  uuid NOT NULL,
  principal  text NOT NULL, -- user:<id> or group:<name>
  role       text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer', 'auditor')),
  PRIMARY KEY (tenant_id, session_id, principal)
);
CREATE INDEX session_grant_by_principal ON session_grant (tenant_id, principal);

-- Secrets that read one conversation up to a message, and nothing else.
CREATE TABLE session_link (
  link_id    uuid           NOT NULL,
  token_hash bytea          NOT NULL CHECK (octet_length(token_hash) = 32), -- SHA-256; the secret itself is never stored
  tenant_id  uuid           NOT NULL,
  session_id uuid           NOT NULL,
  message_id uuid,          -- the last message that it shows; null: all of the current conversation
  created_by uuid           NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  uses       bigint         NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, link_id),
  UNIQUE (tenant_id, token_hash)
);
CREATE INDEX session_link_by_session ON session_link (tenant_id, session_id);

-- The sessions of which all content is erased; is_complete false: steps are missing. Written by erase_content.
CREATE TABLE erased_session (
  session_id  uuid           NOT NULL,
  tenant_id   uuid           NOT NULL,
  is_complete boolean        NOT NULL,
  updated_at  timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, session_id)
);
CREATE INDEX erased_session_open ON erased_session (updated_at) WHERE NOT is_complete;

-- Sessions with a retention of their own, in days after the last change. Written by retain_session.
CREATE TABLE session_retention (
  session_id uuid NOT NULL,
  tenant_id  uuid NOT NULL,
  days       int  NOT NULL CHECK (days > 0),
  not_before timestamptz(3) NOT NULL, -- it does not end earlier; see expired_sessions
  PRIMARY KEY (tenant_id, session_id)
);
CREATE INDEX session_retention_by_end ON session_retention (not_before);

-- Erasures of everything that a user owns: the sessions that existed when it was requested.
CREATE TABLE user_erasure (
  erasure_id   uuid           NOT NULL,
  tenant_id    uuid           NOT NULL,
  user_id      uuid           NOT NULL,
  requested_by uuid           NOT NULL,
  reason       text,
  started_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at     timestamptz(3), -- null: sessions are left
  sessions     int            NOT NULL DEFAULT 0, -- erased so far
  PRIMARY KEY (tenant_id, erasure_id)
);
CREATE UNIQUE INDEX user_erasure_open ON user_erasure (tenant_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX user_erasure_by_user ON user_erasure (tenant_id, user_id, started_at);

-- What a user has used in a session on a day (UTC), by model family: for reports and quotas. Written by count_usage. Kept when content is erased:
-- it holds ids and numbers. The free space lets an update stay on its page.
CREATE TABLE usage (
  tenant_id             uuid   NOT NULL,
  day                   date   NOT NULL,
  user_id               uuid   NOT NULL,
  session_id            uuid   NOT NULL,
  model                 text   NOT NULL,
  prompts               int    NOT NULL,
  requests              int    NOT NULL,
  input_tokens          bigint NOT NULL,
  output_tokens         bigint NOT NULL,
  cache_read_tokens     bigint NOT NULL,
  cache_creation_tokens bigint NOT NULL,
  cost                  bigint NOT NULL, -- billionths of a US dollar
  PRIMARY KEY (tenant_id, day, user_id, session_id, model)
) WITH (fillfactor = 80);

-- The same without the sessions, and what is held, for quotas: see add_to_totals. A row for each user who has used something on the day, and one for the tenant as a whole; more
-- (slot 1, 2, …) where appends come at the same time, so that none waits for another. Changed in place: the free space keeps the updates HOT.
CREATE TABLE usage_total (
  tenant_id uuid   NOT NULL,
  day       date   NOT NULL, -- '-infinity': what is held now
  user_id   uuid   NOT NULL, -- 00000000-…: the tenant
  slot      int    NOT NULL,
  prompts   bigint NOT NULL,
  tokens    bigint NOT NULL, -- without those read from the prompt cache
  cost      bigint NOT NULL, -- billionths of a US dollar
  sessions  bigint NOT NULL, -- not erased
  bytes     bigint NOT NULL, -- of files, as they are stored: each once
  PRIMARY KEY (tenant_id, day, user_id, slot)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- What a row of the session list shows of the conversation. A table of its own, since every append rewrites the row of session; see project_session.
CREATE TABLE session_summary (
  session_id    uuid  NOT NULL,
  tenant_id     uuid  NOT NULL,
  metadata      jsonb NOT NULL,
  first_text    text,
  -- What nearly every append changes comes last: the log of the database leaves out what the old and the new row begin with.
  message_count int   NOT NULL,
  usage         jsonb, -- totals; null before the first request
  last_text     text,
  PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02); -- no index contains what changes often: updates stay HOT
-- With the tenant as a member, so that a search reads the sessions of one tenant. The expression is that of the view metadata_of_tenant.
CREATE INDEX session_by_metadata ON session_summary USING gin ((metadata || ('{"\u0001tenant":"' || tenant_id::text || '"}')::jsonb) jsonb_path_ops);

-- What can be searched: titles, and what people and the model wrote. Derived, and deletable by session and message.
CREATE TABLE search_text (
  session_id  uuid           NOT NULL,
  message_id  uuid           NOT NULL, -- of a title the id of the session
  tenant_id   uuid           NOT NULL,
  user_id     uuid           NOT NULL,
  kind        text           NOT NULL CHECK (kind IN ('title', 'user', 'assistant')),
  is_current  boolean        NOT NULL, -- false: a rewind has taken the message out of the conversation
  recorded_at timestamptz(3) NOT NULL,
  text        text           NOT NULL,
  words       tsvector       NOT NULL,
  PRIMARY KEY (tenant_id, session_id, message_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02); -- vacuum also merges the pending list of the index of words
CREATE INDEX search_by_words ON search_text USING gin (words); -- for words that are rare
CREATE INDEX search_by_user ON search_text (tenant_id, user_id, recorded_at, message_id); -- for words that are common: the newest texts contain them
CREATE INDEX search_by_tenant ON search_text (tenant_id, recorded_at, message_id);

-- The statistics of the planner would keep samples of these texts after an erasure; no condition compares them.
ALTER TABLE session ALTER COLUMN title SET STATISTICS 0;
ALTER TABLE session_summary ALTER COLUMN first_text SET STATISTICS 0, ALTER COLUMN last_text SET STATISTICS 0;
ALTER TABLE search_text ALTER COLUMN text SET STATISTICS 0;

-- Jobs. A turn has a row exactly while it runs or is due: its row is added by the commit that starts or resumes it and removed by
-- the commit with which it ends or waits. A leased row has been handed to the queue, or is held by the process that committed it.
CREATE SEQUENCE outbox_fence AS bigint;
CREATE TABLE outbox (
  outbox_id  bigint         GENERATED ALWAYS AS IDENTITY,
  queue      text           NOT NULL,
  job_id     text           NOT NULL,
  payload    jsonb          NOT NULL, -- ids only
  not_before timestamptz(3) NOT NULL DEFAULT now(), -- end of the lease; until then the time of the request
  tenant_id  uuid           NOT NULL,
  turn_id    uuid           NOT NULL,
  leased     boolean        NOT NULL DEFAULT false,
  place      int, -- of a leased job, among those that the tenant may have leased: see take_place
  fence      bigint         NOT NULL DEFAULT 0, -- number of the last claim by a worker, from outbox_fence; 0: not claimed yet
  holder     uuid, -- the process that runs the turn without the queue, under a lease that it renews
  PRIMARY KEY (tenant_id, outbox_id),
  UNIQUE (tenant_id, job_id),
  CHECK (leased = (place IS NOT NULL)),
  CHECK (not_before <= clock_timestamp() + interval '1 day') -- the lease of a job ends within a day
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000); -- few rows, many deletes: the number of dead rows alone must trigger the vacuum
CREATE INDEX outbox_pending ON outbox (tenant_id, outbox_id) WHERE NOT leased;
CREATE UNIQUE INDEX outbox_leased ON outbox (tenant_id, place) WHERE leased;
CREATE INDEX outbox_lease_end ON outbox (not_before) WHERE leased;

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts and files
-- ---------------------------------------------------------------------------------------------------------------------

-- Ids are derived from what names look like, so the primary keys also keep names unique, at any length.
CREATE TABLE tenant (
  tenant_id  uuid           PRIMARY KEY,
  name       text           NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE app_user (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  user_id    uuid           NOT NULL,
  name       text           NOT NULL, -- empty once the user is deleted
  role       text           NOT NULL DEFAULT 'member' CHECK (role IN ('admin', 'auditor', 'member')),
  role_as_of timestamptz(3), -- when an admin set the role, or the issuer said so; null: nobody has
  identity   bytea          CHECK (octet_length(identity) = 32), -- SHA-256 of issuer and subject; null: known by name only
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  disabled_at timestamptz(3), -- none of the user's credentials is accepted
  deleted_at  timestamptz(3), -- disabled, without a name, and the content is erased
  PRIMARY KEY (tenant_id, user_id),
  UNIQUE (tenant_id, identity),
  CHECK (deleted_at IS NULL OR disabled_at IS NOT NULL)
);

CREATE TABLE api_token (
  token_id   uuid           NOT NULL,
  token_hash bytea          NOT NULL CHECK (octet_length(token_hash) = 32), -- SHA-256; the token itself is never stored
  tenant_id  uuid           NOT NULL,
  user_id    uuid           NOT NULL,
  role       text           NOT NULL CHECK (role IN ('admin', 'auditor', 'member')), -- counts as far as the user has it
  scopes     text[]         CHECK (cardinality(scopes) > 0), -- null: everything that the role allows
  name       text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  parent_id  uuid,          -- the token that created it, with which it is revoked
  PRIMARY KEY (tenant_id, token_id),
  UNIQUE (tenant_id, token_hash),
  FOREIGN KEY (tenant_id, parent_id) REFERENCES api_token,
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user
);
CREATE INDEX api_token_by_user ON api_token (tenant_id, user_id);
CREATE INDEX api_token_by_parent ON api_token (tenant_id, parent_id);

-- Credentials of one event stream each, for clients that cannot send a header. Redeeming one deletes it.
CREATE TABLE stream_ticket (
  ticket_hash bytea          NOT NULL CHECK (octet_length(ticket_hash) = 32), -- SHA-256; the ticket itself is never stored
  tenant_id   uuid           NOT NULL,
  user_id     uuid           NOT NULL,
  credentials jsonb          NOT NULL, -- all of those that it stands for, with which the stream ends
  session_id  uuid,          -- null: the stream of all sessions of the user
  expires_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, ticket_hash)
);
CREATE INDEX stream_ticket_by_user ON stream_ticket (tenant_id, user_id, expires_at);

-- Codes that sign a user in once, in a link. Redeeming one deletes it.
CREATE TABLE sign_in_code (
  code_hash  bytea          NOT NULL CHECK (octet_length(code_hash) = 32), -- SHA-256; the code itself is never stored
  tenant_id  uuid           NOT NULL,
  user_id    uuid           NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, code_hash),
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user
);
CREATE INDEX sign_in_code_by_user ON sign_in_code (tenant_id, user_id);

-- Signed-in browsers. Signing out deletes the row.
CREATE TABLE sign_in (
  sign_in_id   uuid           NOT NULL,
  secret_hash  bytea          NOT NULL CHECK (octet_length(secret_hash) = 32), -- SHA-256 of what the cookie holds
  tenant_id    uuid           NOT NULL,
  user_id      uuid           NOT NULL,
  method       text           NOT NULL CHECK (method IN ('link', 'oidc')),
  groups       text[]         NOT NULL, -- as the identity provider named them
  user_agent   text,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(), -- written every few minutes at most
  expires_at   timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, sign_in_id),
  UNIQUE (tenant_id, secret_hash),
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user
);
CREATE INDEX sign_in_by_user ON sign_in (tenant_id, user_id, created_at);

-- Settings of a tenant, one row per section.
CREATE TABLE tenant_setting (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  name       text           NOT NULL,
  value      json           NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, name)
);

-- Images, documents and long pastes, stored once per tenant; messages reference them by hash.
CREATE TABLE blob (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  sha256     bytea          NOT NULL CHECK (octet_length(sha256) = 32),
  media_type text           NOT NULL,
  bytes      bytea          NOT NULL,
  data_key   uuid,          -- with which bytes are encrypted; null: they are not
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, sha256)
);
ALTER TABLE blob ALTER COLUMN bytes SET STORAGE EXTERNAL; -- media is already compressed; CREATE TABLE accepts STORAGE only since PostgreSQL 16

-- Keys with which content is encrypted, each wrapped by a key outside the database. Without a row, the content that it encrypted cannot be read, in a backup neither.
CREATE TABLE data_key (
  id         uuid           NOT NULL, -- of a session: its id; of a file: blob.data_key
  tenant_id  uuid           NOT NULL,
  key_id     text           NOT NULL, -- the key that wraps it
  wrapped    bytea          NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id)
);

-- The sessions that may read a blob: a session reads only the blobs it has received. A fork copies these rows.
CREATE TABLE blob_use (
  tenant_id  uuid           NOT NULL,
  session_id uuid           NOT NULL,
  sha256     bytea          NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, session_id, sha256),
  FOREIGN KEY (tenant_id, sha256) REFERENCES blob
);
CREATE INDEX blob_use_by_blob ON blob_use (tenant_id, sha256); -- whether another session has the blob

-- ---------------------------------------------------------------------------------------------------------------------
-- Transparency log
-- ---------------------------------------------------------------------------------------------------------------------

-- Tasks that one process at a time does.
CREATE TABLE task_lease (
  task    text           PRIMARY KEY,
  holder  uuid           NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  fence   bigint         NOT NULL,
  -- How far its holders have come, if the task goes on where the last one stopped.
  progress json
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- Leaves of the Merkle tree, in feed order: consecutive events of one session, never across the border of a tile.
CREATE TABLE tlog_run (
  first_index bigint PRIMARY KEY,
  tenant_id   uuid   NOT NULL,
  session_id  uuid   NOT NULL,
  first_seq   bigint NOT NULL,
  hashes      bytea  NOT NULL CHECK (octet_length(hashes) BETWEEN 32 AND 8192 AND octet_length(hashes) % 32 = 0) -- leaf hashes
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX tlog_run_by_session ON tlog_run (tenant_id, session_id, first_seq);

-- Full tiles: 256 hashes, and the root over them, which is the tile's hash on the next level.
CREATE TABLE tlog_tile (
  level      int    NOT NULL,
  tile_index bigint NOT NULL,
  root       bytea  NOT NULL CHECK (octet_length(root) = 32),
  hashes     bytea  NOT NULL CHECK (octet_length(hashes) = 8192),
  PRIMARY KEY (level, tile_index)
);
ALTER TABLE tlog_tile ALTER COLUMN hashes SET STORAGE EXTERNAL; -- hashes do not compress, and reads of roots skip them

-- One signed checkpoint per batch of leaves. The newest one says where the next batch begins.
CREATE TABLE tlog_checkpoint (
  size        bigint         PRIMARY KEY,
  root        bytea          NOT NULL CHECK (octet_length(root) = 32),
  note        text           NOT NULL, -- the signed note
  verifier    text           NOT NULL, -- the public key that verifies it
  transaction xid8           NOT NULL, -- of the last event in the feed
  position    bigint         NOT NULL,
  created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- Which checkpoints have been put outside this database, and where.
CREATE TABLE tlog_anchor (
  size        bigint         NOT NULL REFERENCES tlog_checkpoint,
  target      text           NOT NULL, -- `file`, the address of a webhook, `timestamp`, or `witness` and its name
  receipt     text,          -- what the target gave: a time stamp token in base64, or a signature line
  anchored_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (size, target)
);

-- The private key that signs checkpoints where the setting TLOG_KEY names none.
CREATE TABLE tlog_key (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  signer  text    NOT NULL
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Functions: the log
-- ---------------------------------------------------------------------------------------------------------------------

-- One link of a session's hash chain: SHA-256 over the previous link and over every field that gives the event its meaning.
-- position and xact_id are left out, because they only locate the row in this database: a log that is copied to another
-- database stays valid. Fields of fixed length come first and the only field of variable length comes last, so different
-- events cannot produce the same input bytes.
CREATE OR REPLACE FUNCTION chain_hash(
  previous bytea, session_id uuid, seq bigint, tenant_id uuid, event_id uuid, command_id uuid,
  schema_version int, recorded_at timestamptz, digest bytea, actor text, type text
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(previous || uuid_send(session_id) || int8send(seq) || uuid_send(tenant_id) || uuid_send(event_id)
    || uuid_send(command_id) || int4send(schema_version) || timestamptz_send(recorded_at) || digest
    || sha256(convert_to(actor, 'UTF8')) || convert_to(type, 'UTF8'))
$$;

-- The key of the advisory lock that every append to a session's log holds: of tenant and session, as all keys are. Two sessions with the same key only wait for each other.
CREATE OR REPLACE FUNCTION session_lock(p_tenant uuid, p_session uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT uuid_hash_extended(p_session, uuid_hash_extended(p_tenant, 0))
$$;

-- Adds to the totals of a day, or with the day '-infinity' of what is held, of each of `p_users`; the user 00000000-… is the tenant as a whole. Negative numbers subtract.
-- A total is the sum of its rows. No transaction waits for another: it takes the first number whose rows no other transaction of the tenant is changing, and keeps it until its end.
CREATE OR REPLACE FUNCTION add_to_totals(
  p_tenant uuid, p_users uuid[], p_day date, p_prompts bigint, p_tokens bigint, p_cost bigint, p_sessions bigint, p_bytes bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  free  int := 0;
  found int;
BEGIN
  WHILE NOT pg_try_advisory_xact_lock(8150316, uuid_hash(p_tenant) # free) LOOP -- the first number is this function's own
    free := free + 1;
  END LOOP;
  -- A statement of its own, to see what was committed before the lock.
  UPDATE usage_total t SET prompts = t.prompts + p_prompts, tokens = t.tokens + p_tokens, cost = t.cost + p_cost, sessions = t.sessions + p_sessions, bytes = t.bytes + p_bytes
  WHERE t.tenant_id = p_tenant AND t.day = p_day AND t.user_id = ANY (p_users) AND t.slot = free;
  GET DIAGNOSTICS found = ROW_COUNT;
  IF found < cardinality(p_users) THEN
    INSERT INTO usage_total (tenant_id, day, user_id, slot, prompts, tokens, cost, sessions, bytes)
    SELECT p_tenant, p_day, u.id, free, p_prompts, p_tokens, p_cost, p_sessions, p_bytes FROM unnest(p_users) AS u(id)
    ON CONFLICT (tenant_id, day, user_id, slot) DO NOTHING;
    -- The totals of earlier days are no longer read or written.
    DELETE FROM usage_total t WHERE t.tenant_id = p_tenant AND (t.day, t.user_id, t.slot) IN (
      SELECT o.day, o.user_id, o.slot FROM usage_total o WHERE o.tenant_id = p_tenant AND o.day > '-infinity' AND o.day < p_day - 2 LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
END $$;

-- Locks files for a user, until the end of the transaction: two sessions of the user that receive or lose the same file at the same time see each other. Before any lock of the files' own rows, and in
-- the order of the files, so that none waits in a circle.
CREATE OR REPLACE FUNCTION lock_files(p_tenant uuid, p_user uuid, p_files bytea[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  file bytea;
BEGIN
  FOR file IN SELECT f.sha256 FROM unnest(p_files) AS f(sha256) ORDER BY f.sha256 LOOP
    PERFORM pg_advisory_xact_lock(uuid_hash_extended(p_user, uuid_hash_extended(p_tenant, ('x' || encode(substr(file, 1, 8), 'hex'))::bit(64)::bigint)));
  END LOOP;
END $$;

-- Adds the bytes of files that a session of the user has received (p_sign 1), or no longer has (-1), to what the user holds: each file counts once for a user, whichever of their sessions have it.
-- The caller holds the lock of the session.
CREATE OR REPLACE FUNCTION count_files(p_tenant uuid, p_session uuid, p_user uuid, p_files bytea[], p_sign int) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  bytes bigint;
BEGIN
  PERFORM lock_files(p_tenant, p_user, p_files);
  -- A statement of its own, to see what was committed before the locks. octet_length reads the length that is stored with the bytes, not the bytes.
  SELECT sum(octet_length(b.bytes)) INTO bytes FROM blob b WHERE b.tenant_id = p_tenant AND b.sha256 = ANY (p_files) AND NOT EXISTS (
    SELECT FROM blob_use u JOIN session s ON s.tenant_id = u.tenant_id AND s.session_id = u.session_id
    WHERE u.tenant_id = p_tenant AND u.sha256 = b.sha256 AND u.session_id <> p_session AND s.user_id = p_user);
  IF bytes > 0 THEN
    PERFORM add_to_totals(p_tenant, ARRAY[p_user], '-infinity', 0, 0, 0, 0, p_sign * bytes);
  END IF;
END $$;

-- Appends events to a session's log, all or none, in one commit with the command's receipt, the row of the session list
-- and the jobs of the outbox. The arrays are parallel: item i of each describes event i. Without events, only the receipt
-- is written: the command had nothing to do, and a repeat must find that.
--
--   outcome      first_seq, last_seq                      recorded_at
--   appended     the new events                           their timestamp
--   duplicate    the events of the first execution        null
--   conflict     null, the version found                  null           p_expected differs from the version found
--   key_reused   null                                     null           the command id belongs to another request
--   fenced       null                                     null           another worker has claimed the turn since: see claim_turn
--
-- The outcome is a value, not an error; for every outcome but `appended`, nothing has been written. jobs_pending: with
-- completed jobs, whether the tenant has pending jobs, which may now be leased.
--
-- With p_holder, the caller has room to run the turn that these events start: its job is leased to the caller in this commit,
-- unless the tenant has its share of leases or older pending jobs. claim_fence is then the number of the caller's claim, as from
-- claim_turn; null: the job is pending. The caller renews the lease with renew_turns.
CREATE OR REPLACE FUNCTION append_events(
  p_tenant uuid, p_session uuid,
  p_expected bigint,                          -- expected version of the session; 0: it must not exist yet
  p_command uuid, p_request_hash bytea,
  p_actor text,                               -- JSON, the same for all events
  p_ids uuid[], p_types text[], p_schemas int[],
  p_data text[],                              -- JSON texts; an array, because Postgres cannot decompose a JSON document that contains \u0000
  p_jobs jsonb,                               -- [{queue, id, payload}] to add
  p_completed text[],                         -- ids of jobs to remove: their turns end or wait with these events
  p_claim_job text, p_claim_fence bigint,     -- claim of the worker that reports; null for a command of a user
  p_user uuid, p_title text, p_model text, p_status text, p_queue_length int, p_turn uuid, -- row of the session list
  p_holder uuid DEFAULT NULL, p_per_tenant int DEFAULT NULL, p_lease_ms float8 DEFAULT NULL, -- see lease_jobs
  p_salts bytea[] DEFAULT NULL, p_digests bytea[] DEFAULT NULL, -- of sealed events, see src/engine/store/sealed-content.ts; null, or an item null: made here from the data
  p_count boolean DEFAULT true,               -- false: the caller adds a new session to the totals
  OUT outcome text, OUT first_seq bigint, OUT last_seq bigint, OUT recorded_at timestamptz, OUT jobs_pending boolean, OUT claim_fence bigint,
  OUT head_hash bytea                         -- of the last event; null without events
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added    int := cardinality(p_ids);
  base     bigint; -- version found
  existing receipt;
  head     stream;
  at       timestamptz(3);
  key_salt bytea;
  salts    bytea[] := '{}';
  link     bytea;
  links    bytea[] := '{}';
  digests  bytea[] := '{}';
  is_asked boolean := p_holder IS NOT NULL AND jsonb_array_length(p_jobs) = 1; -- for the turn
  taken    int; -- see take_place
BEGIN
  -- Every statement after the lock must see what the previous lock holder committed. READ COMMITTED takes a snapshot per
  -- statement; the stricter levels take one per transaction.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'append_events does not run under isolation level %', current_setting('transaction_isolation')
      USING ERRCODE = 'VB002', HINT = 'Call it in a transaction with isolation level READ COMMITTED.';
  END IF;

  -- The session lock must come before the first write, because the first write assigns the transaction id. Transaction ids
  -- within a session then follow the order of seq, and the feed, which is ordered by transaction id, cannot return an event
  -- before its predecessor. An advisory lock also covers a session that has no row to lock yet. The lock is released after the
  -- commit is visible.
  PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));

  SELECT * INTO existing FROM receipt r WHERE r.tenant_id = p_tenant AND r.command_id = p_command;
  IF FOUND THEN
    IF existing.request_digest = sha256(existing.salt || p_request_hash) AND existing.session_id = p_session THEN
      outcome := 'duplicate'; first_seq := existing.first_seq; last_seq := existing.last_seq;
    ELSE
      outcome := 'key_reused';
    END IF;
    RETURN;
  END IF;

  SELECT * INTO head FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  -- Before the version: a worker that has lost its turn must not reload the session and try again. claim_turn holds the
  -- same lock, so no claim can come between this check and the commit.
  IF p_claim_job IS NOT NULL AND NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = p_tenant AND o.job_id = p_claim_job AND o.fence = p_claim_fence) THEN
    outcome := 'fenced';
    RETURN;
  END IF;
  base := coalesce(head.version, 0);
  IF p_expected IS DISTINCT FROM base THEN
    outcome := 'conflict'; last_seq := base;
    RETURN;
  END IF;

  -- Read after the lock and never earlier than the previous event's timestamp: within a session time does not decrease,
  -- even if the clock of the machine is set back.
  at := greatest(date_trunc('milliseconds', clock_timestamp()), head.updated_at);

  -- The first write. Another session may be writing the same command concurrently, under its own lock: this statement then
  -- waits for that commit and finds the key taken.
  key_salt := uuid_send(gen_random_uuid());
  INSERT INTO receipt (tenant_id, command_id, salt, request_digest, session_id, first_seq, last_seq, created_at)
  VALUES (p_tenant, p_command, key_salt, sha256(key_salt || p_request_hash), p_session, base + 1, base + added, at)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    outcome := 'key_reused';
    RETURN;
  END IF;

  outcome := 'appended'; first_seq := base + 1; last_seq := base + added; recorded_at := at; jobs_pending := false;
  IF added = 0 THEN
    RETURN;
  END IF;

  -- A salt for each digest: who has only the digest cannot test guesses of the content. The first link names the format.
  link := coalesce(head.head_hash, sha256('verbatim chain 1'::bytea || uuid_send(p_session)));
  FOR i IN 1..added LOOP
    salts[i] := coalesce(p_salts[i], uuid_send(gen_random_uuid())); -- 122 random bits of the server's strong generator
    digests[i] := coalesce(p_digests[i], sha256(salts[i] || convert_to(p_data[i], 'UTF8')));
    link := chain_hash(link, p_session, base + i, p_tenant, p_ids[i], p_command, p_schemas[i], at, digests[i], p_actor, p_types[i]);
    links[i] := link;
  END LOOP;
  head_hash := link;

  INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
  SELECT p_session, base + e.ordinal, p_tenant, e.id, p_command, e.type, e.schema, p_actor::json, e.data::json, salts[e.ordinal], e.digest, e.link, at
  FROM unnest(p_ids, p_types, p_schemas, p_data, digests, links) WITH ORDINALITY AS e(id, type, schema, data, digest, link, ordinal);

  IF base = 0 THEN
    INSERT INTO stream (session_id, tenant_id, version, head_hash, updated_at) VALUES (p_session, p_tenant, added, link, at);
  ELSE
    UPDATE stream s SET version = base + added, head_hash = link, updated_at = at WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  END IF;

  -- An INSERT … ON CONFLICT would lock the row first and write that to the log of the database. No other append writes this row: the session is locked.
  UPDATE session s SET title = p_title, model = p_model, status = p_status, queue_length = p_queue_length, turn_id = p_turn,
    updated_at = CASE WHEN p_types <@ ARRAY['session.accessed'] THEN s.updated_at ELSE at END -- who has read a session has not changed it
  WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  IF NOT FOUND THEN
    INSERT INTO session (session_id, tenant_id, user_id, title, model, status, queue_length, turn_id, created_at, updated_at)
    VALUES (p_session, p_tenant, p_user, p_title, p_model, p_status, p_queue_length, p_turn, at, at);
    IF p_count THEN
      PERFORM add_to_totals(p_tenant, ARRAY['00000000-0000-0000-0000-000000000000', p_user], '-infinity', 0, 0, 0, 1, 0);
    END IF;
    IF EXISTS (SELECT FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session) THEN
      PERFORM count_files(p_tenant, p_session, p_user, ARRAY(SELECT u.sha256 FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session), 1);
    END IF;
  END IF;

  is_asked := is_asked AND NOT has_pending_jobs(p_tenant);
  IF cardinality(p_completed) > 0 THEN
    DELETE FROM outbox o WHERE o.tenant_id = p_tenant AND o.job_id = ANY (p_completed);
    jobs_pending := has_pending_jobs(p_tenant);
  END IF;
  IF jsonb_array_length(p_jobs) > 0 THEN
    -- After the deletion: a turn that ends leaves its place to the next one of the session.
    IF is_asked THEN
      taken := take_place(p_tenant, p_per_tenant);
    END IF;
    IF taken IS NOT NULL THEN
      claim_fence := nextval('public.outbox_fence');
    END IF;
    -- A job id is unique among those of the tenant: a second request for a job that is still there adds nothing.
    INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload, leased, place, not_before, holder, fence)
    SELECT p_tenant, (j.payload->>'turnId')::uuid, j.queue, j.id, j.payload, taken IS NOT NULL, taken,
      clock_timestamp() + CASE WHEN claim_fence IS NULL THEN 0 ELSE p_lease_ms END * interval '1 millisecond',
      CASE WHEN claim_fence IS NOT NULL THEN p_holder END, coalesce(claim_fence, 0)
    FROM jsonb_to_recordset(p_jobs) AS j(queue text, id text, payload jsonb)
    ON CONFLICT (tenant_id, job_id) DO NOTHING;
    IF NOT FOUND THEN
      claim_fence := NULL;
    END IF;
  END IF;
END $$;
-- Trigger function for tables whose rows are immutable.
CREATE OR REPLACE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % rejected: recorded rows are immutable', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'VB001', HINT = 'Record a correction as a new event, through append_events.';
END $$;

-- Trigger function for event: rows are immutable. The only permitted change replaces the data of an event and removes its salt, in
-- the transaction that has just appended a content.erased event to the same log: see erase_content.
CREATE OR REPLACE FUNCTION guard_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.salt IS NULL THEN
    IF (NEW.session_id, NEW.seq, NEW.position, NEW.xact_id, NEW.tenant_id, NEW.event_id, NEW.command_id, NEW.type, NEW.schema_version, NEW.digest, NEW.hash, NEW.recorded_at)
      = (OLD.session_id, OLD.seq, OLD.position, OLD.xact_id, OLD.tenant_id, OLD.event_id, OLD.command_id, OLD.type, OLD.schema_version, OLD.digest, OLD.hash, OLD.recorded_at)
      AND NEW.actor::text = OLD.actor::text
      AND EXISTS (
        SELECT FROM stream s JOIN event e ON e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.seq = s.version
        WHERE s.tenant_id = OLD.tenant_id AND s.session_id = OLD.session_id AND e.type = 'content.erased' AND e.xact_id = pg_current_xact_id())
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% on % rejected: recorded rows are immutable', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'VB001', HINT = 'Record a correction as a new event, through append_events.';
END $$;
-- Stores the data key of a session in the commit of the append that first uses it: called with its outcome, does nothing unless it appended.
CREATE OR REPLACE FUNCTION keep_data_key(
  p_outcome text, p_tenant uuid, p_id uuid, p_key_id text, p_wrapped bytea
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  INSERT INTO data_key (id, tenant_id, key_id, wrapped) VALUES (p_id, p_tenant, p_key_id, p_wrapped);
  RETURN true;
END $$;

-- What an erasure leaves of a JSON value by a rule of skeleton_rules; null: nothing. The same as skeletonBy of packages/protocol/message/skeleton-rule.ts, where the kinds of rules
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

-- What an erasure leaves of the data of each event type; a type that is not here is never erased. Generated from packages/protocol/events by `npm run documents`.
CREATE OR REPLACE FUNCTION skeleton_rules() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT $rules$
{
  "session.created":{"members":{"settings":{"members":{"title":{"const":null},"model":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"],"else":{"const":""}},"system":{"const":null},"context":{"const":{}},"systemContext":{"const":{}},"permissionMode":{"keep":["^(default|acceptEdits|plan|bypassPermissions)$"],"else":{"const":"default"}},"permissions":{"const":{"allow":[],"deny":[],"ask":[]}},"tools":{"const":[]},"metadata":{"const":{}},"archived":{"keep":["boolean"]},"autoCompact":{"keep":["boolean","null"]},"retentionDays":{"keep":["number","null"]}},"else":{"const":{"title":null,"model":"","system":null,"context":{},"systemContext":{},"permissionMode":"default","permissions":{"allow":[],"deny":[],"ask":[]},"tools":[],"metadata":{}}}},"importing":{"keep":["true"]},"forkedFrom":{"members":{"sessionId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"at":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"seq":{"keep":["number"],"else":{"const":0}},"headHash":{"keep":["^[0-9a-f]{64}$"],"else":{"const":""}}}}}},
  "import.retained":{"members":{"lines":{"const":[]}}},
  "session.imported":{"members":{"source":{"keep":["^(verbatim|claude-code)$"],"else":{"const":"verbatim"}},"lines":{"keep":["number"],"else":{"const":0}},"messages":{"keep":["number"],"else":{"const":0}},"moves":{"keep":["number"],"else":{"const":0}},"preserved":{"keep":["number"],"else":{"const":0}},"reattached":{"keep":["number"],"else":{"const":0}},"offBranch":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"else":{"const":[]}},"offBranchTotal":{"keep":["number"],"else":{"const":0}},"retained":{"const":{}},"skipped":{"const":[]},"skippedTotal":{"keep":["number"],"else":{"const":0}},"shortened":{"const":[]},"origin":{"const":{}}}},
  "session.configured":{"members":{"changes":{"members":{"model":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"]},"permissionMode":{"keep":["^(default|acceptEdits|plan|bypassPermissions)$"]},"archived":{"keep":["boolean"]},"autoCompact":{"keep":["boolean","null"]},"retentionDays":{"keep":["number","null"]}},"else":{"const":{}}}}},
  "session.titled":{"members":{"title":{"const":""},"model":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"],"else":{"const":""}},"usage":{"members":{"input_tokens":{"keep":["number"]},"output_tokens":{"keep":["number"]},"cache_creation_input_tokens":{"keep":["number"]},"cache_read_input_tokens":{"keep":["number"]}},"else":{"const":{}}}}},
  "session.closed":{"members":{"reason":{"const":null}}},
  "message.appended":{"members":{"message":{"by":"type","cases":{"user":{"members":{"type":{"const":"user"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"content":{"items":{"by":"type","cases":{"tool_result":{"members":{"type":{"const":"tool_result"},"tool_use_id":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"content":{"const":"[Erased]"},"is_error":{"keep":["true"]}},"needs":["tool_use_id"]}}},"else":{"const":"[Erased]"}},"isMeta":{"keep":["true"]},"isVirtual":{"keep":["true"]},"isCompactSummary":{"keep":["true"]},"isInterruption":{"keep":["true"]},"permissionMode":{"keep":["^(default|acceptEdits|plan|bypassPermissions)$"]}},"else":{"const":{"type":"user","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"content":"[Erased]"}}},"assistant":{"members":{"type":{"const":"assistant"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"message":{"members":{"id":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"role":{"const":"assistant"},"model":{"const":"erased"},"content":{"const":[{"type":"text","text":"[Erased]"}]},"stop_reason":{"keep":["^(end_turn|max_tokens|stop_sequence|tool_use|pause_turn|refusal|model_context_window_exceeded)$","null"],"else":{"const":"erased"}},"usage":{"members":{"input_tokens":{"keep":["number"]},"output_tokens":{"keep":["number"]},"cache_creation_input_tokens":{"keep":["number"]},"cache_read_input_tokens":{"keep":["number"]}}}},"else":{"const":{"id":"","role":"assistant","model":"erased","content":[{"type":"text","text":"[Erased]"}],"stop_reason":"erased"}}},"requestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"isVirtual":{"keep":["true"]},"isApiErrorMessage":{"keep":["true"]},"apiError":{"keep":["^(pdf_too_large|pdf_password_protected|pdf_invalid|image_too_large|request_too_large)$"],"else":{"members":{"type":{"const":"block_rejected"},"blockUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"index":{"keep":["number"],"else":{"const":0}},"inner":{"keep":["number"]}}}},"withdraws":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}}},"else":{"const":{"type":"assistant","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"message":{"id":"","role":"assistant","model":"erased","content":[{"type":"text","text":"[Erased]"}],"stop_reason":"erased"}}}},"attachment":{"members":{"type":{"const":"attachment"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"attachment":{"const":{"type":"erased"}},"isVirtual":{"keep":["true"]}},"else":{"const":{"type":"attachment","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"attachment":{"type":"erased"}}}},"system":{"members":{"type":{"const":"system"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"subtype":{"keep":["^(local_command|api_error|compact_boundary|informational|hook_blocked|turn_duration|refusal|model_refusal_fallback)$"],"else":{"const":"informational"}},"level":{"keep":["^(info|warning|error)$"]},"content":{"const":"[Erased]"},"compactMetadata":{"members":{"trigger":{"keep":["^(manual|auto)$"]},"preTokens":{"keep":["number","null"]},"compactionId":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"keptFrom":{"keep":["^[A-Za-z0-9_-]{1,128}$","null"]},"kept":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}},"keptAfter":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"omitted":{"keep":["number"]}}},"withdraws":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}},"isVirtual":{"keep":["true"]}},"else":{"const":{"type":"system","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"subtype":"informational","content":"[Erased]"}}},"tombstone":{"members":{"type":{"const":"tombstone"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"removed":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"else":{"const":[]}},"cause":{"keep":["^(compaction)$"]}},"else":{"const":{"type":"tombstone","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"removed":[]}}},"tool_use_summary":{"members":{"type":{"const":"tool_use_summary"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"summary":{"const":"[Erased]"},"toolUseIds":{"const":[]}},"else":{"const":{"type":"tool_use_summary","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"summary":"[Erased]","toolUseIds":[]}}}},"else":{"members":{"type":{"const":"attachment"},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"parentUuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"timestamp":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"erased":{"const":true},"attachment":{"const":{"type":"erased"}},"isVirtual":{"keep":["true"]}},"else":{"const":{"type":"attachment","uuid":"","parentUuid":null,"timestamp":"1970-01-01T00:00:00.000Z","erased":true,"attachment":{"type":"erased"}}}}},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"promptId":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}}},
  "session.rewound":{"members":{"rewindId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"before":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"after":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"from":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"to":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"removed":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"]},"else":{"const":[]}},"permissionMode":{"keep":["^(default|acceptEdits|plan|bypassPermissions)$"],"else":{"const":"default"}},"reason":{"const":null},"at":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"]},"cause":{"keep":["^(edit|regenerate)$"]},"replacedBy":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}}},
  "session.compacted":{"members":{"compactionId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"requestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"boundary":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"summary":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"keptFrom":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"trigger":{"keep":["^(manual|auto)$"],"else":{"const":"auto"}},"instructions":{"const":null},"omitted":{"keep":["number"],"else":{"const":0}},"preTokens":{"keep":["number"],"else":{"const":null}},"summaryTokens":{"keep":["number"],"else":{"const":null}}}},
  "session.tools_changed":{"members":{"tools":{"const":[]}}},
  "feedback.recorded":{"members":{"feedbackId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"requestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"rating":{"keep":["number"],"else":{"const":""}},"comment":{"const":null}}},
  "prompt.submitted":{"members":{"submission":{"members":{"promptId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"uuid":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"mode":{"keep":["^(prompt|bash|compact)$"],"else":{"const":"prompt"}},"original":{"const":""},"route":{"by":"kind","cases":{"prompt":{"members":{"kind":{"const":"prompt"}}},"bash":{"members":{"kind":{"const":"bash"}}},"exit":{"members":{"kind":{"const":"exit"}}},"command":{"members":{"kind":{"const":"command"},"command":{"keep":["^(client|local|prompt|turn)$"],"else":{"const":"client"}},"name":{"const":""}}},"rejected":{"members":{"kind":{"const":"rejected"},"name":{"const":""},"reason":{"keep":["^(unknown|remote|model_only)$"],"else":{"const":"unknown"}}}}}},"isMeta":{"keep":["true"]}},"else":{"const":{"promptId":"","turnId":"","uuid":"","mode":"prompt","original":""}}},"disposition":{"keep":["^(started|queued|answered)$"],"else":{"const":"started"}}}},
  "turn.waiting":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"toolUseIds":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"else":{"const":[]}},"decisions":{"items":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}}}}},
  "turn.completed":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"stopReason":{"keep":["^(end_turn|max_tokens|stop_sequence|tool_use|pause_turn|refusal|model_context_window_exceeded)$"],"else":{"const":"erased"}}}},
  "turn.interrupt_requested":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"reason":{"const":null}}},
  "turn.failed":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"error":{"members":{"code":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"message":{"const":""},"status":{"keep":["number"]},"providerRequestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}},"else":{"const":{"code":"","message":""}}}}},
  "tool.decided":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"toolUseId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"name":{"const":""},"decision":{"keep":["^(allow|deny|ask|reject|cancel)$"],"else":{"const":"ask"}},"by":{"by":"kind","cases":{"rule":{"members":{"kind":{"const":"rule"},"rule":{"const":""},"source":{"keep":["^(deployment|tenant|session|command)$"],"else":{"const":"session"}}}},"hook":{"members":{"kind":{"const":"hook"},"hookRunId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}}}},"mode":{"members":{"kind":{"const":"mode"},"mode":{"keep":["^(default|acceptEdits|plan|bypassPermissions)$"],"else":{"const":"default"}}}},"person":{"members":{"kind":{"const":"person"},"id":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}}}}},"else":{"members":{"kind":{"const":"timeout"}},"else":{"const":{"kind":"timeout"}}}}}},
  "tool.started":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"toolUseId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"name":{"const":""},"input":{"const":{}}}},
  "tool.completed":{"members":{"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"toolUseId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"name":{"const":""},"outcome":{"keep":["^(finished|interrupted|unknown)$"],"else":{"const":"unknown"}},"isError":{"keep":["boolean"],"else":{"const":false}},"durationMs":{"keep":["number"],"else":{"const":0}}}},
  "hook.completed":{"members":{"hookRunId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"event":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"hook":{"members":{"type":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}}},"else":{"const":{"type":""}}},"input":{"const":null},"outcome":{"keep":["^(success|blocked|prevented|non_blocking_error|timeout)$"],"else":{"const":"success"}},"exitCode":{"keep":["number"],"else":{"const":null}},"httpStatus":{"keep":["number"]},"durationMs":{"keep":["number"],"else":{"const":0}},"stdout":{"const":""},"stderr":{"const":""},"decision":{"keep":["^(allow|deny|ask)$"]},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}}}},
  "request.sent":{"members":{"requestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"ordinal":{"keep":["number"],"else":{"const":0}},"at":{"keep":["number"],"else":{"const":0}},"model":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"],"else":{"const":""}},"profile":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"],"else":{"const":""}},"gates":{"entries":{"keep":["boolean"]},"named":"^[A-Za-z0-9_-]{1,128}$","else":{"const":{}}},"betas":{"items":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"]}},"normalizer":{"keep":["^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$"],"else":{"const":""}},"maxTokens":{"keep":["number"],"else":{"const":0}},"digest":{"const":""},"bytes":{"keep":["number"],"else":{"const":0}},"prefix":{"const":{"system":"","tools":"","messages":[],"tail":[],"shared":0}},"purpose":{"keep":["^(compaction)$"]},"compaction":{"members":{"trigger":{"keep":["^(manual|auto)$"],"else":{"const":"auto"}},"instructions":{"const":null},"keptFrom":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"from":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"to":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"omitted":{"keep":["number"],"else":{"const":0}},"preTokens":{"keep":["number"],"else":{"const":null}}}}}},
  "request.completed":{"members":{"requestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"providerRequestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":null}},"stopReason":{"keep":["^(end_turn|max_tokens|stop_sequence|tool_use|pause_turn|refusal|model_context_window_exceeded)$","null"],"else":{"const":"erased"}},"usage":{"members":{"input_tokens":{"keep":["number"]},"output_tokens":{"keep":["number"]},"cache_creation_input_tokens":{"keep":["number"]},"cache_read_input_tokens":{"keep":["number"]}},"else":{"const":{}}},"durationMs":{"keep":["number"],"else":{"const":0}}}},
  "request.failed":{"members":{"requestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"turnId":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"error":{"members":{"code":{"keep":["^[A-Za-z0-9_-]{1,128}$"],"else":{"const":""}},"message":{"const":""},"status":{"keep":["number"]},"providerRequestId":{"keep":["^[A-Za-z0-9_-]{1,128}$"]}},"else":{"const":{"code":"","message":""}}},"durationMs":{"keep":["number"],"else":{"const":0}},"retryAt":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":null}}}},
  "session.granted":{"members":{"principal":{"keep":["^user:[A-Za-z0-9_-]{1,128}$"],"else":{"const":"group:"}},"role":{"keep":["^(owner|editor|viewer|auditor)$"],"else":{"const":"viewer"}}}},
  "session.grant_revoked":{"members":{"principal":{"keep":["^user:[A-Za-z0-9_-]{1,128}$"],"else":{"const":"group:"}}}},
  "glass.broken":{"members":{"until":{"keep":["^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"],"else":{"const":"1970-01-01T00:00:00.000Z"}},"reason":{"const":""}}}
}
$rules$::jsonb
$$;

-- Whether `p_left` is what an erasure leaves of `p_data`, by the rule for its event type; null: such an event is never erased. Of sealed data, which is a text, the database
-- sees nothing: then, whether it can be what is left of anything. Escapes in texts are made unreadable first, since jsonb has no place for some of them; no text
-- that is kept has any.
CREATE OR REPLACE FUNCTION is_skeleton_of(p_rule jsonb, p_data json, p_left jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_left = coalesce(skeleton_by(p_rule, readable.data), skeleton_by(p_rule, '{}'))
  FROM (SELECT CASE json_typeof(p_data) WHEN 'string' THEN p_left ELSE replace(replace(p_data::text, '\\', '\b'), '\u', '\bu')::jsonb END AS data) AS readable
  WHERE p_rule IS NOT NULL
$$;

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
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  SELECT e.data INTO erasure FROM event e
  WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq = p_seq AND e.type = 'content.erased' AND e.xact_id = pg_current_xact_id();
  IF NOT FOUND THEN
    RAISE EXCEPTION 'erase_content rejected: event % of session % is not a content.erased event of this transaction', p_seq, p_session
      USING ERRCODE = 'VB003', HINT = 'Append the event with append_events in the same statement.';
  END IF;
  IF EXISTS (SELECT FROM legal_hold h WHERE h.tenant_id = p_tenant AND h.session_id = p_session) THEN
    RAISE EXCEPTION 'erase_content rejected: session % is under a legal hold', p_session
      USING ERRCODE = 'VB004', HINT = 'Release the hold first.';
  END IF;

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
      DELETE FROM session_retention r WHERE r.tenant_id = p_tenant AND r.session_id = p_session;
      DELETE FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = p_session;
    END IF;
    DELETE FROM session_grant g WHERE g.tenant_id = p_tenant AND g.session_id = p_session;
    DELETE FROM session_link l WHERE l.tenant_id = p_tenant AND l.session_id = p_session;
  END IF;

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
-- Writes who has which role in a session, in the commit of the append with the events that say so: called with its outcome. The arrays are parallel.
CREATE OR REPLACE FUNCTION share_session(p_outcome text, p_tenant uuid, p_session uuid, p_owner uuid, p_principals text[], p_roles text[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  owner_before uuid;
  files        bytea[];
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  DELETE FROM session_grant g WHERE g.tenant_id = p_tenant AND g.session_id = p_session AND NOT g.principal = ANY (p_principals);
  INSERT INTO session_grant AS g (session_id, tenant_id, principal, role)
  SELECT p_session, p_tenant, given.principal, given.role FROM unnest(p_principals, p_roles) AS given(principal, role)
  WHERE EXISTS (SELECT FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session)
  ON CONFLICT (tenant_id, session_id, principal) DO UPDATE SET role = excluded.role WHERE g.role <> excluded.role;
  SELECT s.user_id INTO owner_before FROM session s WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  IF owner_before <> p_owner THEN
    files := ARRAY(SELECT u.sha256 FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session);
    PERFORM count_files(p_tenant, p_session, owner_before, files, -1);
    UPDATE session s SET user_id = p_owner WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
    PERFORM count_files(p_tenant, p_session, p_owner, files, 1);
    IF NOT EXISTS (SELECT FROM erased_session e WHERE e.tenant_id = p_tenant AND e.session_id = p_session) THEN
      PERFORM add_to_totals(p_tenant, ARRAY[owner_before], '-infinity', 0, 0, 0, -1, 0);
      PERFORM add_to_totals(p_tenant, ARRAY[p_owner], '-infinity', 0, 0, 0, 1, 0);
    END IF;
    -- The words include the user: see project_session.
    UPDATE search_text t SET user_id = p_owner,
      words = ts_delete(t.words, chr(1) || 'u' || left(owner_before::text, 8)) || array_to_tsvector(ARRAY[chr(1) || 'u' || left(p_owner::text, 8)])
    WHERE t.tenant_id = p_tenant AND t.session_id = p_session;
  END IF;
  RETURN true;
END $$;
-- Places or releases the legal hold of a session, in the commit of the append with the event that says so: called with its outcome.
CREATE OR REPLACE FUNCTION hold_session(p_outcome text, p_tenant uuid, p_session uuid, p_held boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  IF p_held THEN
    INSERT INTO legal_hold (session_id, tenant_id)
    SELECT s.session_id, s.tenant_id FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM legal_hold h WHERE h.tenant_id = p_tenant AND h.session_id = p_session;
  END IF;
  RETURN true;
END $$;
-- Sets the retention of a session in days, or removes it, in the commit of the append that configures it: called with its outcome.
CREATE OR REPLACE FUNCTION retain_session(p_outcome text, p_tenant uuid, p_session uuid, p_days int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  IF p_days IS NULL THEN
    DELETE FROM session_retention r WHERE r.tenant_id = p_tenant AND r.session_id = p_session;
  ELSE
    INSERT INTO session_retention AS r (session_id, tenant_id, days, not_before)
    SELECT s.session_id, s.tenant_id, p_days, clock_timestamp() + p_days * interval '1 day' FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session
    ON CONFLICT (tenant_id, session_id) DO UPDATE SET days = excluded.days, not_before = excluded.not_before;
  END IF;
  RETURN true;
END $$;
-- Counts the bytes of the tenant's files.
CREATE OR REPLACE FUNCTION count_blob() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_totals(NEW.tenant_id, ARRAY['00000000-0000-0000-0000-000000000000'::uuid], '-infinity', 0, 0, 0, 0, octet_length(NEW.bytes));
  ELSE
    PERFORM add_to_totals(OLD.tenant_id, ARRAY['00000000-0000-0000-0000-000000000000'::uuid], '-infinity', 0, 0, 0, 0, -octet_length(OLD.bytes));
  END IF;
  RETURN NULL;
END $$;

-- Counts the bytes of a file for the owner of the session that receives it or no longer has it. A session that does not exist yet counts its files when it begins: see append_events.
CREATE OR REPLACE FUNCTION count_blob_use() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  changed blob_use := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
  owner   uuid;
BEGIN
  PERFORM pg_advisory_xact_lock(session_lock(changed.tenant_id, changed.session_id)); -- its owner stays
  SELECT s.user_id INTO owner FROM session s WHERE s.tenant_id = changed.tenant_id AND s.session_id = changed.session_id;
  IF TG_WHEN = 'BEFORE' THEN
    IF FOUND THEN
      PERFORM lock_files(changed.tenant_id, owner, ARRAY[changed.sha256]);
    END IF;
    RETURN changed;
  END IF;
  IF FOUND THEN
    PERFORM count_files(changed.tenant_id, changed.session_id, owner, ARRAY[changed.sha256], CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END);
  END IF;
  RETURN NULL;
END $$;

-- Trigger function for api_token: a revocation is final.
CREATE OR REPLACE FUNCTION guard_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'UPDATE on api_token rejected: a revocation cannot be changed'
      USING ERRCODE = 'VB001', HINT = 'Create a new token.';
  END IF;
  RETURN NEW;
END $$;

-- Trigger function for stream: the only permitted change is a higher version of the same session.
CREATE OR REPLACE FUNCTION guard_stream() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.version > OLD.version AND NEW.session_id = OLD.session_id AND NEW.tenant_id = OLD.tenant_id THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% on stream rejected: the version of a session may only increase', TG_OP
    USING ERRCODE = 'VB001', HINT = 'Only append_events changes this table.';
END $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Functions: the outbox
-- ---------------------------------------------------------------------------------------------------------------------

-- Takes one of the places that a tenant has for leased jobs, from 1 to p_per_tenant, until the end of the transaction, and returns its number; null: all are taken.
-- Each leased job of a tenant has a place of its own, so no more can be leased than there are places, and nobody waits to count them: a place that another transaction
-- is taking is locked, and passed over.
CREATE OR REPLACE FUNCTION take_place(p_tenant uuid, p_per_tenant int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  taken     int[] := ARRAY(SELECT o.place FROM outbox o WHERE o.tenant_id = p_tenant AND o.leased LIMIT p_per_tenant);
  held      int := cardinality(taken);
  candidate int;
BEGIN
  IF held >= p_per_tenant THEN
    RETURN NULL;
  END IF;
  -- First some at random, so that transactions which begin together do not all try the same ones. Then all of a range in which 256 are free: more than there are transactions
  -- that take one at the same time.
  FOR candidate IN
    SELECT 1 + floor(random() * p_per_tenant)::int FROM generate_series(1, 8)
    UNION ALL
    SELECT generate_series(1, least(p_per_tenant, held + 256))
  LOOP
    CONTINUE WHEN candidate = ANY (taken);
    IF pg_try_advisory_xact_lock(8150315, uuid_hash(p_tenant) # candidate) THEN -- the first number is this function's own
      -- A statement of its own, to see what was committed before the lock: after the commit that takes the place, the lock is free again.
      IF NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = p_tenant AND o.place = candidate AND o.leased) THEN
        RETURN candidate;
      END IF;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

-- Whether a tenant has jobs that are not leased. >= and two columns, for the index: see lease_jobs.
CREATE OR REPLACE FUNCTION has_pending_jobs(p_tenant uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN coalesce(p_tenant = (
    SELECT o.tenant_id FROM outbox o WHERE NOT o.leased AND o.tenant_id >= p_tenant ORDER BY o.tenant_id, o.outbox_id LIMIT 1), false);
END $$;

-- Leases up to p_limit jobs for p_lease_ms, so that the caller can hand them to the queue: first the jobs whose lease has
-- expired, then pending jobs, of the tenants with the fewest leased jobs first. A tenant never holds more than p_per_tenant
-- leases at a time.
--
-- The cost must not depend on how many jobs are pending. Some conditions below use >= and an ORDER BY on two columns where
-- = would select the same rows: only the index with that order then fits, and no plan reads the jobs of other tenants to
-- find those of one.
CREATE OR REPLACE FUNCTION lease_jobs(p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  tenants   uuid[]; -- with pending jobs
  lease_end timestamptz(3) := clock_timestamp() + p_lease_ms * interval '1 millisecond';
  chosen    record;
  free      int;
BEGIN
  -- If a server crash undoes this commit, the jobs are only leased again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- One caller at a time: each chooses from all pending jobs. The number is this function's own key.
  PERFORM pg_advisory_xact_lock(8150313);
  tenants := ARRAY(
    WITH RECURSIVE pending_tenant AS ( -- one index step per tenant, however many jobs it has
      (SELECT o.tenant_id FROM outbox o WHERE NOT o.leased ORDER BY o.tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT o.tenant_id FROM outbox o WHERE NOT o.leased AND o.tenant_id > t.tenant_id ORDER BY o.tenant_id LIMIT 1)
      FROM pending_tenant t WHERE t.tenant_id IS NOT NULL
    )
    SELECT t.tenant_id FROM pending_tenant t WHERE t.tenant_id IS NOT NULL);
  FOR chosen IN
    (SELECT o.tenant_id, o.outbox_id, 0 AS rank, o.place FROM outbox o WHERE o.leased AND o.not_before <= clock_timestamp() ORDER BY o.not_before LIMIT p_limit)
    UNION ALL
    (SELECT pending.tenant_id, pending.outbox_id, (held.jobs + row_number() OVER (PARTITION BY t.tenant_id ORDER BY pending.outbox_id))::int AS rank, NULL
     FROM unnest(tenants) AS t(tenant_id),
       LATERAL (SELECT count(*) AS jobs FROM (SELECT FROM outbox o WHERE o.leased AND o.tenant_id = t.tenant_id LIMIT p_per_tenant) lease) held,
       LATERAL (SELECT o.tenant_id, o.outbox_id FROM outbox o WHERE NOT o.leased AND o.tenant_id >= t.tenant_id
                ORDER BY o.tenant_id, o.outbox_id LIMIT least(p_per_tenant - held.jobs, p_limit)) pending
     WHERE pending.tenant_id = t.tenant_id)
    ORDER BY rank, outbox_id LIMIT p_limit
  LOOP
    -- An append may have taken the place meanwhile, or be taking it.
    free := coalesce(chosen.place, take_place(chosen.tenant_id, p_per_tenant));
    CONTINUE WHEN free IS NULL;
    RETURN QUERY UPDATE outbox o SET leased = true, place = free, not_before = lease_end, holder = NULL
      WHERE o.tenant_id = chosen.tenant_id AND o.outbox_id = chosen.outbox_id
      RETURNING o.queue, o.job_id, o.payload;
  END LOOP;
END $$;
-- Claims the turn of a job for a worker and returns the number of the claim, its fencing token: append_events rejects reports
-- under any earlier claim. So a worker that lost its job without noticing (frozen, cut off from the queue) does no harm when
-- it goes on. Returns null when the job no longer exists: its turn is over or waits.
CREATE OR REPLACE FUNCTION claim_turn(p_tenant uuid, p_session uuid, p_job text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  claimed bigint;
BEGIN
  -- The session lock of append_events: a report is appended either before the claim or not at all.
  PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));
  -- From a sequence, not fence + 1: a job that is added again must not repeat the numbers of the row that it replaces.
  UPDATE outbox o SET fence = nextval('public.outbox_fence'), holder = NULL WHERE o.tenant_id = p_tenant AND o.job_id = p_job RETURNING o.fence INTO claimed;
  RETURN claimed;
END $$;
-- Extends the leases with which a process holds the turns of these jobs, given as parallel arrays, and returns the jobs that it still holds. A job that is
-- missing is over, waits, or was leased for the queue after its lease had expired.
CREATE OR REPLACE FUNCTION renew_turns(p_holder uuid, p_tenants uuid[], p_jobs text[], p_lease_ms float8) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- If a server crash undoes this commit, the leases end earlier.
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM outbox o JOIN unnest(p_tenants, p_jobs) AS j(tenant_id, job_id) USING (tenant_id, job_id) WHERE o.holder = p_holder
    ORDER BY o.tenant_id, o.job_id FOR UPDATE OF o; -- in the order of append_batch
  RETURN QUERY UPDATE outbox o SET not_before = clock_timestamp() + p_lease_ms * interval '1 millisecond' FROM unnest(p_tenants, p_jobs) AS j(tenant_id, job_id)
    WHERE o.tenant_id = j.tenant_id AND o.job_id = j.job_id AND o.holder = p_holder RETURNING o.job_id;
END $$;
-- Returns the turns of these jobs, given as parallel arrays, as far as this process holds them: the jobs return to pending, for the queue.
CREATE OR REPLACE FUNCTION release_turns(p_holder uuid, p_tenants uuid[], p_jobs text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- If a server crash undoes this commit, the leases expire at their own time.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE outbox o SET leased = false, place = NULL, holder = NULL, not_before = clock_timestamp() FROM unnest(p_tenants, p_jobs) AS j(tenant_id, job_id)
    WHERE o.tenant_id = j.tenant_id AND o.job_id = j.job_id AND o.holder = p_holder;
END $$;
-- Expires every lease of a job that was handed to the queue, so that the next lease_jobs redelivers it. For a queue that may have
-- lost its contents.
CREATE OR REPLACE FUNCTION redeliver_jobs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- If a server crash undoes this commit, the leases expire at their own time.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE outbox o SET not_before = clock_timestamp() WHERE o.leased AND o.holder IS NULL AND o.not_before > clock_timestamp();
END $$;

-- Deletes up to p_limit receipts older than p_max_age_ms, and than a day, oldest first, and returns their number. One caller at a time: a concurrent call returns 0.
CREATE OR REPLACE FUNCTION prune_receipts(p_max_age_ms float8, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  pruned int;
BEGIN
  IF NOT pg_try_advisory_xact_lock(8150314) THEN -- this function's own key
    RETURN 0;
  END IF;
  -- If a server crash undoes this commit, the next call deletes the same rows.
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM receipt r WHERE (r.tenant_id, r.command_id) IN (
    SELECT o.tenant_id, o.command_id FROM receipt o
    WHERE o.created_at < statement_timestamp() - greatest(make_interval(secs => p_max_age_ms / 1000), interval '1 day') ORDER BY o.created_at LIMIT p_limit);
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;

-- Adds a job for each orphaned turn: a running turn without a job whose session has not changed for p_idle_ms by the clock
-- of the database. Oldest first, at most p_limit. Returns the number of jobs added. The job has the name of the turn's current
-- segment, so that a queue that still holds it does not take a second one.
CREATE OR REPLACE FUNCTION requeue_orphaned_turns(p_idle_ms float8, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  requeued int;
BEGIN
  INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload)
  SELECT s.tenant_id, s.turn_id, 'turns', s.turn_id || CASE segment.type WHEN 'turn.resumed' THEN '.' || segment.seq ELSE '' END,
    jsonb_build_object('tenantId', s.tenant_id, 'sessionId', s.session_id, 'turnId', s.turn_id)
  FROM session s LEFT JOIN LATERAL (
    SELECT e.type, e.seq FROM event e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.type IN ('turn.started', 'turn.resumed') ORDER BY e.seq DESC LIMIT 1
  ) segment ON true
  WHERE s.status = 'running' AND s.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = s.tenant_id AND o.turn_id = s.turn_id)
  ORDER BY s.updated_at LIMIT p_limit
  ON CONFLICT (tenant_id, job_id) DO NOTHING;
  GET DIAGNOSTICS requeued = ROW_COUNT;
  RETURN requeued;
END $$;
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
    INSERT INTO search_text (session_id, message_id, tenant_id, user_id, kind, is_current, recorded_at, text, words)
    SELECT p_session, t.id, p_tenant, p_user, t.kind, true, p_at, t.text,
      array_to_tsvector(ARRAY[chr(1) || 'u' || left(p_user::text, 8), chr(1) || 't' || left(p_tenant::text, 8)]) || to_tsvector(p_language, replace(t.text, '<', ' '))
    FROM unnest(p_ids, p_kinds, p_texts) AS t(id, kind, text) WHERE t.text <> ''
    ON CONFLICT (tenant_id, session_id, message_id) DO UPDATE SET text = excluded.text, words = excluded.words, recorded_at = excluded.recorded_at;
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
-- Adds the usage in the events of an append, in the commit of that append: called with its outcome and timestamp, does nothing unless it
-- appended. So a repeated command counts once. The session is part of the key: appends to different sessions do not wait for each other. The totals of the day have a key of their own.
CREATE OR REPLACE FUNCTION count_usage(
  p_outcome text, p_at timestamptz, p_tenant uuid, p_session uuid,
  p_entries jsonb, -- [{userId, model, prompts, requests, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost}], each user and model once
  p_count boolean DEFAULT true -- false: the caller adds to the totals
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  on_day date := (p_at AT TIME ZONE 'UTC')::date;
  e      record;
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  FOR e IN SELECT * FROM jsonb_to_recordset(p_entries) AS x("userId" uuid, model text, prompts int, requests int, "inputTokens" bigint, "outputTokens" bigint,
    "cacheReadTokens" bigint, "cacheCreationTokens" bigint, cost bigint)
  LOOP
    -- Not an INSERT … ON CONFLICT, for the reason in append_events: the session, a part of the key, is locked.
    UPDATE usage u SET
      prompts = u.prompts + e.prompts,
      requests = u.requests + e.requests,
      input_tokens = u.input_tokens + e."inputTokens",
      output_tokens = u.output_tokens + e."outputTokens",
      cache_read_tokens = u.cache_read_tokens + e."cacheReadTokens",
      cache_creation_tokens = u.cache_creation_tokens + e."cacheCreationTokens",
      cost = u.cost + e.cost
    WHERE u.tenant_id = p_tenant AND u.day = on_day AND u.user_id = e."userId" AND u.session_id = p_session AND u.model = e.model;
    IF NOT FOUND THEN
      INSERT INTO usage (tenant_id, day, user_id, session_id, model, prompts, requests, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost)
      VALUES (p_tenant, on_day, e."userId", p_session, e.model, e.prompts, e.requests, e."inputTokens", e."outputTokens", e."cacheReadTokens", e."cacheCreationTokens", e.cost);
    END IF;
    IF p_count THEN
      PERFORM add_to_totals(p_tenant, ARRAY['00000000-0000-0000-0000-000000000000', e."userId"], on_day,
        e.prompts, e."inputTokens" + e."outputTokens" + e."cacheCreationTokens", e.cost, 0, 0);
    END IF;
  END LOOP;
  RETURN true;
END $$;

-- Appends for several sessions in one commit: item i of p_appends describes a call of append_events, of project_session if it has facts, and of count_usage if it has usage. Returns their results in
-- the same order, and for each one that it did not attempt, because something that it has to lock was locked, the outcome 'busy': the caller appends that one alone.
--
-- A batch waits for no lock that another batch can hold for longer than a commit, so that one locked session does not delay the others. An error rolls all of them back.
CREATE OR REPLACE FUNCTION append_batch(
  p_tenants uuid[], p_sessions uuid[],  -- of all appends
  p_job_tenants uuid[], p_jobs text[],  -- all jobs to remove
  p_appends json
) RETURNS TABLE (outcome text, first_seq bigint, last_seq bigint, recorded_at timestamptz, jobs_pending boolean, claim_fence bigint, head_hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  locks    bigint[]; -- of sessions, locked
  a        record;
  appended record;
  counted  usage_total[] := '{}';
BEGIN
  -- All session locks come before the first write: see append_events.
  locks := ARRAY(SELECT s.lock FROM (SELECT DISTINCT session_lock(s.tenant, s.id) AS lock FROM unnest(p_tenants, p_sessions) AS s(tenant, id)) s WHERE pg_try_advisory_xact_lock(s.lock));
  -- In the order of renew_turns, so that neither waits for the other.
  PERFORM FROM outbox o JOIN unnest(p_job_tenants, p_jobs) AS j(tenant_id, job_id) USING (tenant_id, job_id) ORDER BY o.tenant_id, o.job_id FOR UPDATE OF o;
  FOR a IN SELECT * FROM json_to_recordset(p_appends) AS x(
    tenant uuid, session uuid, expected bigint, command uuid, request_hash text, actor text, ids uuid[], types text[], schemas int[], data text[], jobs jsonb, completed text[],
    claim_job text, claim_fence bigint, "user" uuid, title text, model text, status text, queue_length int, turn uuid, holder uuid, per_tenant int, lease_ms float8,
    salts bytea[], digests bytea[], usage jsonb, facts jsonb, language text, text_ids uuid[], text_kinds text[], texts text[], hidden uuid[], shown uuid[])
  LOOP
    IF session_lock(a.tenant, a.session) <> ALL (locks) THEN
      outcome := 'busy'; first_seq := NULL; last_seq := NULL; recorded_at := NULL; jobs_pending := NULL; claim_fence := NULL; head_hash := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO appended FROM append_events(a.tenant, a.session, a.expected, a.command, decode(a.request_hash, 'hex'), a.actor, a.ids, a.types, a.schemas, a.data, a.jobs,
      a.completed, a.claim_job, a.claim_fence, a."user", a.title, a.model, a.status, a.queue_length, a.turn, a.holder, a.per_tenant, a.lease_ms, a.salts, a.digests, false);
    IF a.facts IS NOT NULL THEN
      PERFORM project_session(appended.outcome, appended.recorded_at, a.tenant, a.session, a."user", a.facts, a.language::regconfig,
        a.text_ids, a.text_kinds, a.texts, a.hidden, a.shown);
    END IF;
    IF a.usage IS NOT NULL THEN
      PERFORM count_usage(appended.outcome, appended.recorded_at, a.tenant, a.session, a.usage, false);
    END IF;
    IF appended.outcome = 'appended' THEN
      IF appended.first_seq = 1 AND appended.last_seq > 0 THEN
        counted := counted || ROW(a.tenant, '-infinity', a."user", 0, 0, 0, 0, 1, 0)::usage_total;
      END IF;
      IF a.usage IS NOT NULL THEN
        counted := counted || ARRAY(SELECT ROW(a.tenant, (appended.recorded_at AT TIME ZONE 'UTC')::date, x."userId", 0, x.prompts, x."inputTokens" + x."outputTokens" + x."cacheCreationTokens", x.cost, 0, 0)::usage_total
          FROM jsonb_to_recordset(a.usage) AS x("userId" uuid, prompts int, "inputTokens" bigint, "outputTokens" bigint, "cacheCreationTokens" bigint, cost bigint));
      END IF;
    END IF;
    outcome := appended.outcome; first_seq := appended.first_seq; last_seq := appended.last_seq; recorded_at := appended.recorded_at;
    jobs_pending := appended.jobs_pending; claim_fence := appended.claim_fence; head_hash := appended.head_hash;
    RETURN NEXT;
  END LOOP;
  -- Once for all appends: a row that one transaction changes many times has to be found among its own former versions.
  PERFORM add_to_totals(t.tenant_id, ARRAY[t.of_user], t.day, t.prompts, t.tokens, t.cost, t.sessions, 0) FROM (
    SELECT c.tenant_id, of_user, c.day, sum(c.prompts)::bigint AS prompts, sum(c.tokens)::bigint AS tokens, sum(c.cost)::bigint AS cost, sum(c.sessions)::bigint AS sessions
    FROM unnest(counted) AS c, unnest(ARRAY['00000000-0000-0000-0000-000000000000', c.user_id]) AS of_user GROUP BY 1, 2, 3) t;
END $$;
-- ---------------------------------------------------------------------------------------------------------------------
-- Functions: the transparency log
-- ---------------------------------------------------------------------------------------------------------------------

-- Takes or renews the lease of a task that one process at a time may do, by the clock of the database. Returns the fencing number, which grows
-- with every new holder; null: another process holds the lease. A lease is a day at most.
CREATE OR REPLACE FUNCTION take_lease(p_task text, p_holder uuid, p_lease_ms float8) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  taken bigint;
BEGIN
  -- If a server crash undoes this commit, the lease is only taken again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Without a lock first: the attempts of all other processes end here.
  PERFORM FROM task_lease l WHERE l.task = p_task AND l.holder <> p_holder AND l.ends_at > clock_timestamp();
  IF FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO task_lease AS l (task, holder, ends_at, fence)
  VALUES (p_task, p_holder, clock_timestamp() + least(p_lease_ms * interval '1 millisecond', interval '1 day'), 1)
  ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at, fence = l.fence + (l.holder <> excluded.holder)::int
    WHERE l.holder = excluded.holder OR l.ends_at <= clock_timestamp()
  RETURNING l.fence INTO taken;
  RETURN taken;
END $$;

-- Ends the caller's lease, so that another process can take it at once.
CREATE OR REPLACE FUNCTION end_lease(p_task text, p_holder uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE task_lease SET ends_at = clock_timestamp() WHERE task = p_task AND holder = p_holder
$$;

-- Keeps how far the holder of a lease has come with its task, for the next holder. False: it holds the lease no longer.
CREATE OR REPLACE FUNCTION keep_progress(p_task text, p_holder uuid, p_fence bigint, p_progress json) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- After a crash of the server some is done again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE task_lease SET progress = p_progress WHERE task = p_task AND holder = p_holder AND fence = p_fence;
  RETURN FOUND;
END $$;

-- How far the holders of a task's lease have come; null: nothing was kept.
CREATE OR REPLACE FUNCTION read_progress(p_task text) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT progress FROM task_lease WHERE task = p_task
$$;

-- Adds leaves to the transparency log, with the tiles that they complete and the checkpoint over them, all or none. False: the caller has lost
-- the lease, or the tree does not have the size that the leaves continue; nothing has been written.
--
-- p_hashes holds the leaf hashes, one after the other, 32 bytes each. The arrays of runs are parallel, and so are those of tiles; run i has the next
-- p_counts[i] hashes, which are those of the events of one session from p_seqs[i] on. p_transaction and p_position name the last event in the feed.
CREATE OR REPLACE FUNCTION extend_tlog(
  p_holder uuid, p_fence bigint, p_from bigint,
  p_tenants uuid[], p_sessions uuid[], p_seqs bigint[], p_counts int[], p_hashes bytea,
  p_levels int[], p_tiles bigint[], p_tile_hashes bytea, p_tile_roots bytea,
  p_root bytea, p_note text, p_verifier text, p_transaction xid8, p_position bigint
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added bigint := octet_length(p_hashes) / 32;
BEGIN
  -- The order of the leaves follows from the feed alone: if a server crash undoes this commit, the same tree is built again, and no checkpoint that
  -- was served becomes wrong. No need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Locked until the commit: no other process can take the lease in between.
  PERFORM FROM task_lease l WHERE l.task = 'sequence' AND l.holder = p_holder AND l.fence = p_fence FOR UPDATE;
  IF NOT FOUND OR p_from <> coalesce((SELECT max(c.size) FROM tlog_checkpoint c), 0) THEN
    RETURN false;
  END IF;
  IF added IS DISTINCT FROM (SELECT coalesce(sum(c), 0) FROM unnest(p_counts) AS c) THEN
    RAISE EXCEPTION 'extend_tlog: % hashes for other counts', added USING ERRCODE = 'VB003';
  END IF;

  INSERT INTO tlog_run (first_index, tenant_id, session_id, first_seq, hashes)
  SELECT p_from + r.ends - r.leaves, r.tenant, r.session, r.seq, substring(p_hashes FROM (32 * (r.ends - r.leaves) + 1)::int FOR 32 * r.leaves)
  FROM (SELECT u.tenant, u.session, u.seq, u.leaves, sum(u.leaves) OVER (ORDER BY u.ordinal) AS ends
        FROM unnest(p_tenants, p_sessions, p_seqs, p_counts) WITH ORDINALITY AS u(tenant, session, seq, leaves, ordinal)) r;

  INSERT INTO tlog_tile (level, tile_index, hashes, root)
  SELECT t.level, t.index, substring(p_tile_hashes FROM (8192 * (t.ordinal - 1) + 1)::int FOR 8192), substring(p_tile_roots FROM (32 * (t.ordinal - 1) + 1)::int FOR 32)
  FROM unnest(p_levels, p_tiles) WITH ORDINALITY AS t(level, index, ordinal);

  INSERT INTO tlog_checkpoint (size, root, note, verifier, transaction, position)
  VALUES (p_from + added, p_root, p_note, p_verifier, p_transaction, p_position);
  RETURN true;
END $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Functions: users, and work for all tenants
-- ---------------------------------------------------------------------------------------------------------------------

-- Row level security shows the application the rows of one tenant at a time. What it does for all of them are these functions, which run with the owner's rights, and the
-- functions of the outbox and the transparency log above: no statement that the application writes itself reads the rows of another tenant.

-- The tenant for which this transaction reads and writes, which the policies of all tables with rows of tenants compare. Set for one transaction, before its first
-- statement: see src/platform/postgres/connection/tenant-query.ts. Null when it is not set: the policies then show nothing and accept nothing.
CREATE OR REPLACE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(pg_catalog.current_setting('verbatim.tenant', true), '')::pg_catalog.uuid
$$;

-- The user whom a trusted issuer names. p_identity: hash of issuer and subject, which identify the user from the first time on; until then p_user, the id by the name, does. Names that
-- look alike have one id: those of others are refused. p_role null: the user keeps the role. A role that was set or said later than p_issued stays.
CREATE OR REPLACE FUNCTION vouch_user(p_tenant uuid, p_tenant_name text, p_user uuid, p_name text, p_identity bytea, p_role text, p_issued timestamptz)
RETURNS TABLE (user_id uuid, user_role text, refused text, is_changed boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  known app_user;
  named text;
BEGIN
  is_changed := false;
  SELECT t.name INTO named FROM tenant t WHERE t.tenant_id = p_tenant;
  IF NOT FOUND THEN
    INSERT INTO tenant (tenant_id, name) VALUES (p_tenant, p_tenant_name) ON CONFLICT DO NOTHING;
    SELECT t.name INTO named FROM tenant t WHERE t.tenant_id = p_tenant;
  END IF;
  IF named <> p_tenant_name THEN
    refused := 'the name of the tenant only looks like that of an existing one';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO known FROM app_user u WHERE u.tenant_id = p_tenant AND u.identity = p_identity;
  IF NOT FOUND THEN
    INSERT INTO app_user (tenant_id, user_id, name, role, role_as_of, identity)
    VALUES (p_tenant, p_user, p_name, coalesce(p_role, 'member'), CASE WHEN p_role IS NOT NULL THEN p_issued END, p_identity) ON CONFLICT DO NOTHING;
    -- A user without an identity was made by an admin, or deleted; the first one with exactly this name is that user.
    UPDATE app_user u SET identity = p_identity WHERE u.tenant_id = p_tenant AND u.user_id = p_user AND u.identity IS NULL AND u.name IN (p_name, '');
    SELECT * INTO known FROM app_user u WHERE u.tenant_id = p_tenant AND u.user_id = p_user;
    IF known.identity IS DISTINCT FROM p_identity THEN
      refused := CASE WHEN known.name <> p_name THEN 'the name of the user only looks like that of an existing one'
        ELSE 'the name of the user belongs to another subject of an issuer' END;
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  IF known.disabled_at IS NOT NULL THEN
    refused := 'the user is disabled';
    RETURN NEXT;
    RETURN;
  END IF;
  -- A user who was deleted and enabled again has no name.
  IF known.name = '' AND known.user_id = p_user THEN
    UPDATE app_user u SET name = p_name WHERE u.tenant_id = p_tenant AND u.user_id = p_user AND u.name = '';
  END IF;
  -- Of what was issued in the same second, the lower role counts.
  IF p_role IS NOT NULL AND (known.role_as_of IS NULL OR known.role_as_of < p_issued OR known.role <> p_role AND known.role_as_of = p_issued) THEN
    UPDATE app_user u SET role = p_role, role_as_of = p_issued
    WHERE u.tenant_id = p_tenant AND u.user_id = known.user_id
      AND (u.role_as_of IS NULL OR u.role_as_of < p_issued OR u.role_as_of = p_issued AND (p_role = 'member' OR u.role = 'admin'))
      AND (u.role <> p_role OR u.role_as_of IS DISTINCT FROM p_issued);
    user_role := known.role;
    SELECT * INTO known FROM app_user u WHERE u.tenant_id = p_tenant AND u.user_id = known.user_id;
    is_changed := known.role <> user_role;
  END IF;
  user_id := known.user_id;
  user_role := known.role;
  RETURN NEXT;
END $$;

-- The number of tenants.
CREATE OR REPLACE FUNCTION count_tenants() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT count(*) FROM tenant
$$;

-- Pending jobs, the age of the oldest in seconds, and queued prompts of running sessions: numbers over all tenants. Reads two small sets of rows.
CREATE OR REPLACE FUNCTION read_backlog() RETURNS TABLE (jobs int, oldest float8, prompts int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT (SELECT count(*) FROM outbox o WHERE NOT o.leased)::int,
    (SELECT coalesce(greatest(extract(epoch FROM clock_timestamp() - min(o.not_before)), 0), 0) FROM outbox o WHERE NOT o.leased)::float8,
    (SELECT coalesce(sum(s.queue_length), 0) FROM session s WHERE s.status = 'running')::int
$$;

-- Turns that processes run without the queue, under a lease, the oldest first: ids only, over all tenants, for the page of operators.
CREATE OR REPLACE FUNCTION leased_turns(p_limit int) RETURNS TABLE (id text, payload jsonb, holder uuid, lease_end timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT o.job_id, o.payload, o.holder, o.not_before FROM outbox o WHERE o.leased AND o.holder IS NOT NULL ORDER BY o.outbox_id LIMIT p_limit
$$;

-- Milliseconds until the next lease of a job ends, of all tenants. Null: no job is leased.
CREATE OR REPLACE FUNCTION next_lease_end() RETURNS float8 LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT extract(epoch FROM min(o.not_before) - clock_timestamp())::float8 * 1000 FROM outbox o WHERE o.leased AND o.not_before > clock_timestamp()
$$;

-- The events of all tenants after a place in the feed, in its order. Only transactions older than every open one are returned: a position is assigned when a row is
-- written, but the row becomes visible when its transaction commits, so a cursor with the position alone would skip rows that commit late.
CREATE OR REPLACE FUNCTION read_feed(p_transaction xid8, p_position bigint, p_limit bigint) RETURNS SETOF event
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT e.* FROM event e
  WHERE (e.xact_id, e.position) > (p_transaction, p_position) AND e.xact_id < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY e.xact_id, e.position LIMIT p_limit
$$;

-- The hashes of the events after a place in the feed, as read_feed reads it, for the transparency log: one value for all of them, because a value per event would cost more
-- than hashing it. Of each event tenant, session, seq and hash. An event of a transaction that is newer than an open one makes is_complete false.
CREATE OR REPLACE FUNCTION pending_leaves(p_transaction xid8, p_position bigint, p_limit bigint)
RETURNS TABLE (leaves bytea, transaction text, "position" text, is_complete boolean, is_ahead boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  WITH horizon AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin),
  next AS MATERIALIZED (
    SELECT e.tenant_id, e.session_id, e.seq, e.hash, e.xact_id, e.position FROM event e
    WHERE (e.xact_id, e.position) > (p_transaction, p_position) AND e.xact_id < (SELECT h.xmin FROM horizon h)
    ORDER BY e.xact_id, e.position LIMIT p_limit)
  SELECT string_agg(uuid_send(n.tenant_id) || uuid_send(n.session_id) || int8send(n.seq) || n.hash, ''::bytea),
    (array_agg(n.xact_id::text))[count(*)], (array_agg(n.position::text))[count(*)],
    count(*) < p_limit AND NOT EXISTS (SELECT FROM event e WHERE e.xact_id >= (SELECT h.xmin FROM horizon h)),
    p_transaction >= pg_snapshot_xmax(pg_current_snapshot())
  FROM next n
$$;

-- Runs of leaves of the transparency log, of all tenants, which begin between two places in the tree. p_before, p_limit null: no limit.
CREATE OR REPLACE FUNCTION runs_between(p_from bigint, p_before bigint, p_limit bigint) RETURNS SETOF tlog_run
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT r.* FROM tlog_run r WHERE r.first_index >= p_from AND r.first_index < coalesce(p_before, 9223372036854775807) ORDER BY r.first_index LIMIT p_limit
$$;

-- Sessions of all tenants that have a log, after one in the order of tenants and ids, for the recurring audit: it would not find by its leaves a session that was kept out of the transparency log.
CREATE OR REPLACE FUNCTION sessions_after(p_after_tenant uuid, p_after uuid, p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT s.tenant_id, s.session_id FROM stream s WHERE (s.tenant_id, s.session_id) > (p_after_tenant, p_after) ORDER BY s.tenant_id, s.session_id LIMIT p_limit
$$;
-- Of sessions of any tenant, given as parallel arrays, the places of those with an erasure after the given version. For processes that compare what they keep in memory.
CREATE OR REPLACE FUNCTION erased_since(p_tenants uuid[], p_sessions uuid[], p_versions bigint[]) RETURNS SETOF int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT k.ordinal::int FROM unnest(p_tenants, p_sessions, p_versions) WITH ORDINALITY AS k(tenant_id, session_id, version, ordinal)
  WHERE EXISTS (SELECT FROM event e WHERE e.tenant_id = k.tenant_id AND e.session_id = k.session_id AND e.seq > k.version AND e.type = 'content.erased')
$$;
-- Turns of all tenants that have waited longer than p_idle_ms for a decision or a result.
CREATE OR REPLACE FUNCTION expired_waits(p_idle_ms float8, p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid, turn_id uuid, updated_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT s.tenant_id, s.session_id, s.turn_id, s.updated_at FROM session s
  WHERE s.status = 'waiting' AND s.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond' ORDER BY s.updated_at LIMIT p_limit
$$;

-- The erasures of users, of all tenants, that are not over, oldest first.
CREATE OR REPLACE FUNCTION open_erasures(p_limit bigint) RETURNS TABLE (erasure_id uuid, tenant_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT e.erasure_id, e.tenant_id FROM user_erasure e WHERE e.ended_at IS NULL ORDER BY e.started_at LIMIT p_limit
$$;

-- The part of the erasures in the background, 0 to 15, to which a session belongs: each part is done by one process at a time.
CREATE OR REPLACE FUNCTION erasure_part(p_session uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT uuid_hash(p_session) & 15
$$;

-- Sessions of all tenants with an erasure that has steps left and has not made one for p_idle_ms. Without those under a legal hold. Those of one part; null: of all.
CREATE OR REPLACE FUNCTION unfinished_erasures(p_idle_ms float8, p_limit bigint, p_part int) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT s.tenant_id, s.session_id FROM erased_session e JOIN session s USING (tenant_id, session_id)
  WHERE NOT e.is_complete AND e.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond'
    AND (p_part IS NULL OR erasure_part(e.session_id) = p_part)
    AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.tenant_id = s.tenant_id AND h.session_id = s.session_id)
  ORDER BY e.updated_at LIMIT p_limit
$$;
-- Sessions of all tenants with a retention that is over, and since when: their tenant's or their own. Those of one part (null: of all), without those under a legal hold and those that are erased. A fork shows
-- what its parent would lose: the parent waits for it. Each way to be due is a search by its own index, of which erased sessions are no part: a sweep costs what is due. A
-- retention of a session's own is looked at when it would end without a further change, and then put off to the end that the changes have given it. statement_timestamp: an index is not searched for a time that changes during the search.
CREATE OR REPLACE FUNCTION expired_sessions(p_limit bigint, p_part int) RETURNS TABLE (tenant_id uuid, session_id uuid, version bigint, late_seconds float8)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  WITH postponed AS (
    UPDATE session_retention r SET not_before = s.updated_at + r.days * interval '1 day' FROM session s
    WHERE r.not_before <= statement_timestamp() AND s.tenant_id = r.tenant_id AND s.session_id = r.session_id AND s.updated_at + r.days * interval '1 day' > statement_timestamp()),
  kept AS MATERIALIZED (SELECT t.tenant_id, (t.value::text)::int * interval '1 day' AS age FROM tenant_setting t WHERE t.name = 'retentionDays' AND t.value::text <> 'null'),
  candidate AS (
    SELECT s.tenant_id, s.session_id, s.updated_at + k.age AS due_at FROM kept k JOIN session s ON s.tenant_id = k.tenant_id
    WHERE NOT s.archived AND s.updated_at < statement_timestamp() - k.age AND s.status <> 'importing'
    UNION ALL
    SELECT s.tenant_id, s.session_id, s.updated_at + k.age FROM kept k JOIN session s ON s.tenant_id = k.tenant_id
    WHERE s.archived AND NOT s.is_erased AND s.updated_at < statement_timestamp() - k.age AND s.status <> 'importing'
    UNION ALL
    SELECT s.tenant_id, s.session_id, s.updated_at + r.days * interval '1 day' FROM session_retention r JOIN session s USING (tenant_id, session_id)
    WHERE r.not_before <= statement_timestamp() AND s.updated_at < statement_timestamp() - r.days * interval '1 day' AND NOT s.is_erased AND s.status <> 'importing'),
  due AS (
    SELECT c.* FROM candidate c
    WHERE (p_part IS NULL OR erasure_part(c.session_id) = p_part) AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.tenant_id = c.tenant_id AND h.session_id = c.session_id)
      AND NOT EXISTS (SELECT FROM event f WHERE f.tenant_id = c.tenant_id AND f.type = 'session.forked' AND f.data->>'from' = c.session_id::text
        AND NOT EXISTS (SELECT FROM erased_session x WHERE x.tenant_id = f.tenant_id AND x.session_id = f.session_id AND x.is_complete))
    LIMIT p_limit * 2) -- a session with both retentions is found twice
  SELECT d.tenant_id, d.session_id, v.version, extract(epoch FROM statement_timestamp() - d.due_at)::float8 FROM (SELECT tenant_id, session_id, min(due_at) AS due_at FROM due GROUP BY 1, 2 LIMIT p_limit) d
  JOIN stream v USING (tenant_id, session_id)
$$;
-- Sessions of all tenants after one, in the order of tenants and ids: whether they hold messages or prompts in plain text.
CREATE OR REPLACE FUNCTION find_plain_sessions(p_after_tenant uuid, p_after uuid, p_limit int) RETURNS TABLE (tenant_id uuid, session_id uuid, plain boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT s.tenant_id, s.session_id, EXISTS (
    SELECT FROM event e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.type IN ('prompt.submitted', 'message.appended') AND e.salt IS NOT NULL AND json_typeof(e.data) = 'object')
  FROM stream s WHERE (s.tenant_id, s.session_id) > (p_after_tenant, p_after) ORDER BY s.tenant_id, s.session_id LIMIT p_limit
$$;
-- Data keys of all tenants that another key than p_current wraps, after one, in the order of tenants and ids.
CREATE OR REPLACE FUNCTION keys_to_rewrap(p_current text, p_after_tenant uuid, p_after uuid, p_limit int) RETURNS TABLE (tenant_id uuid, id uuid, key_id text, wrapped bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT d.tenant_id, d.id, d.key_id, d.wrapped FROM data_key d WHERE d.key_id <> p_current AND (d.tenant_id, d.id) > (p_after_tenant, p_after) ORDER BY d.tenant_id, d.id LIMIT p_limit
$$;
-- Replaces how data keys are wrapped; the arrays are parallel. A key that was deleted or rewrapped since it was read is left alone. Returns the ids of the others.
CREATE OR REPLACE FUNCTION rewrap_keys(p_tenants uuid[], p_ids uuid[], p_old bytea[], p_key_ids text[], p_wrapped bytea[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE data_key d SET key_id = n.key_id, wrapped = n.wrapped
  FROM unnest(p_tenants, p_ids, p_old, p_key_ids, p_wrapped) AS n(tenant_id, id, old, key_id, wrapped) WHERE d.tenant_id = n.tenant_id AND d.id = n.id AND d.wrapped = n.old RETURNING d.id
$$;
-- ---------------------------------------------------------------------------------------------------------------------
-- Triggers
-- ---------------------------------------------------------------------------------------------------------------------

-- The log is protected three times: the application has no grant to write it (below), these triggers reject accidental
-- changes by the owner, and the hash chain reveals changes made after dropping the triggers.

-- ENABLE ALWAYS: ordinary triggers do not fire under session_replication_role = replica.
CREATE TRIGGER event_immutable BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION guard_event();
CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
ALTER TABLE event ENABLE ALWAYS TRIGGER event_immutable, ENABLE ALWAYS TRIGGER event_no_truncate;

-- The owner may delete receipts; prune_receipts does.
CREATE TRIGGER receipt_immutable BEFORE UPDATE ON receipt FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER receipt_no_truncate BEFORE TRUNCATE ON receipt FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
ALTER TABLE receipt ENABLE ALWAYS TRIGGER receipt_immutable, ENABLE ALWAYS TRIGGER receipt_no_truncate;

CREATE TRIGGER api_token_revocation_final BEFORE UPDATE ON api_token FOR EACH ROW EXECUTE FUNCTION guard_revocation();
ALTER TABLE api_token ENABLE ALWAYS TRIGGER api_token_revocation_final;

CREATE TRIGGER blob_counted AFTER INSERT OR DELETE ON blob FOR EACH ROW EXECUTE FUNCTION count_blob();
CREATE TRIGGER blob_use_locked BEFORE INSERT ON blob_use FOR EACH ROW EXECUTE FUNCTION count_blob_use();
CREATE TRIGGER blob_use_counted AFTER INSERT OR DELETE ON blob_use FOR EACH ROW EXECUTE FUNCTION count_blob_use();

-- AFTER: a trigger that runs before the change locks the row first, which would be a record in the log of the database for each append.
CREATE TRIGGER stream_version_increases AFTER UPDATE OR DELETE ON stream FOR EACH ROW EXECUTE FUNCTION guard_stream();
CREATE TRIGGER stream_no_truncate BEFORE TRUNCATE ON stream FOR EACH STATEMENT EXECUTE FUNCTION guard_stream();
ALTER TABLE stream ENABLE ALWAYS TRIGGER stream_version_increases, ENABLE ALWAYS TRIGGER stream_no_truncate;

CREATE TRIGGER tlog_run_immutable BEFORE UPDATE OR DELETE ON tlog_run FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER tlog_run_no_truncate BEFORE TRUNCATE ON tlog_run FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
ALTER TABLE tlog_run ENABLE ALWAYS TRIGGER tlog_run_immutable, ENABLE ALWAYS TRIGGER tlog_run_no_truncate;
CREATE TRIGGER tlog_tile_immutable BEFORE UPDATE OR DELETE ON tlog_tile FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER tlog_tile_no_truncate BEFORE TRUNCATE ON tlog_tile FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
ALTER TABLE tlog_tile ENABLE ALWAYS TRIGGER tlog_tile_immutable, ENABLE ALWAYS TRIGGER tlog_tile_no_truncate;
CREATE TRIGGER tlog_anchor_immutable BEFORE UPDATE OR DELETE ON tlog_anchor FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER tlog_anchor_no_truncate BEFORE TRUNCATE ON tlog_anchor FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
ALTER TABLE tlog_anchor ENABLE ALWAYS TRIGGER tlog_anchor_immutable, ENABLE ALWAYS TRIGGER tlog_anchor_no_truncate;
CREATE TRIGGER tlog_checkpoint_immutable BEFORE UPDATE OR DELETE ON tlog_checkpoint FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER tlog_checkpoint_no_truncate BEFORE TRUNCATE ON tlog_checkpoint FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
ALTER TABLE tlog_checkpoint ENABLE ALWAYS TRIGGER tlog_checkpoint_immutable, ENABLE ALWAYS TRIGGER tlog_checkpoint_no_truncate;

-- ---------------------------------------------------------------------------------------------------------------------
-- Grants
-- ---------------------------------------------------------------------------------------------------------------------

-- The application reads the log and the outbox; it changes them only through functions, which run with the owner's rights.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO verbatim_app;
GRANT SELECT, INSERT, UPDATE ON user_erasure TO verbatim_app;
GRANT SELECT, INSERT ON session_link TO verbatim_app;
GRANT UPDATE (revoked_at, uses) ON session_link TO verbatim_app;
GRANT SELECT ON stream, event, receipt, session, session_grant, legal_hold, erased_session, session_retention, session_summary, search_text, usage, usage_total, outbox TO verbatim_app;
GRANT SELECT ON tlog_run, tlog_tile, tlog_checkpoint TO verbatim_app;
GRANT SELECT ON tlog_key, tlog_anchor TO verbatim_app;
GRANT INSERT (signer) ON tlog_key TO verbatim_app;
GRANT INSERT (size, target, receipt) ON tlog_anchor TO verbatim_app; -- not the time
GRANT SELECT, INSERT ON tenant, app_user, api_token, blob, blob_use TO verbatim_app;
GRANT UPDATE (revoked_at, name) ON api_token TO verbatim_app;
GRANT SELECT, INSERT ON data_key TO verbatim_app;
GRANT SELECT, INSERT, UPDATE ON tenant_setting TO verbatim_app;
GRANT SELECT, INSERT, DELETE ON stream_ticket, sign_in_code, sign_in TO verbatim_app;
GRANT UPDATE (last_used_at) ON sign_in TO verbatim_app;
GRANT UPDATE (name, role, role_as_of, identity, disabled_at, deleted_at) ON app_user TO verbatim_app;

-- Postgres grants EXECUTE on a new function to PUBLIC.
REVOKE ALL ON FUNCTION leased_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leased_turns TO verbatim_app;
REVOKE ALL ON FUNCTION append_events, append_batch, project_session, count_usage, add_to_totals, lock_files, count_files, count_blob, count_blob_use, keep_data_key, erase_content, skeleton_by, skeleton_rules, is_skeleton_of, share_session, hold_session, retain_session, chain_hash, session_lock, lease_jobs, has_pending_jobs, take_place, claim_turn, renew_turns, release_turns, redeliver_jobs, requeue_orphaned_turns, prune_receipts, take_lease, end_lease, keep_progress, read_progress, extend_tlog FROM PUBLIC;
REVOKE ALL ON FUNCTION current_tenant, vouch_user, count_tenants, read_backlog, next_lease_end, read_feed, pending_leaves, runs_between, sessions_after, erased_since, expired_waits, open_erasures, erasure_part, unfinished_erasures, expired_sessions, find_plain_sessions, keys_to_rewrap, rewrap_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events, append_batch, project_session, count_usage, add_to_totals, lock_files, count_files, session_lock, keep_data_key, erase_content, share_session, hold_session, retain_session, chain_hash, lease_jobs, claim_turn, renew_turns, release_turns, redeliver_jobs, requeue_orphaned_turns, prune_receipts, take_lease, end_lease, keep_progress, read_progress, extend_tlog TO verbatim_app;
GRANT EXECUTE ON FUNCTION current_tenant, vouch_user, count_tenants, read_backlog, next_lease_end, read_feed, pending_leaves, runs_between, sessions_after, erased_since, expired_waits, open_erasures, erasure_part, unfinished_erasures, expired_sessions, find_plain_sessions, keys_to_rewrap, rewrap_keys TO verbatim_app;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row level security
-- ---------------------------------------------------------------------------------------------------------------------

-- Row level security between tenants: the application sees and writes rows of the tenant that its transaction has set, and without one, none. See docs/people.md.
DO $$
DECLARE
  of_tenants text;
BEGIN
  FOREACH of_tenants IN ARRAY ARRAY['stream', 'event', 'receipt', 'session', 'legal_hold', 'session_grant', 'session_link', 'erased_session', 'session_retention', 'user_erasure',
    'usage', 'usage_total', 'session_summary', 'search_text', 'outbox', 'tenant', 'app_user', 'api_token', 'stream_ticket', 'sign_in_code', 'sign_in', 'tenant_setting', 'blob', 'data_key',
    'blob_use', 'tlog_run']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', of_tenants);
    EXECUTE format('CREATE POLICY one_tenant ON %I TO verbatim_app USING (tenant_id = current_tenant())', of_tenants);
  END LOOP;
END $$;

-- A policy is checked before any condition that could reveal what it read, and so keeps such conditions from their index: words, metadata, the parent of a fork. These views
-- have the condition of the policy, and the owner's rights on the tables.
CREATE VIEW search_text_of_tenant AS SELECT session_id, message_id, tenant_id, user_id, kind, is_current, recorded_at, words FROM search_text WHERE tenant_id = current_tenant();
CREATE VIEW metadata_of_tenant AS SELECT session_id, metadata, metadata || ('{"\u0001tenant":"' || tenant_id::text || '"}')::jsonb AS indexed FROM session_summary WHERE tenant_id = current_tenant();
CREATE VIEW fork_of_tenant AS SELECT session_id, tenant_id, data->>'from' AS parent FROM event WHERE type = 'session.forked' AND tenant_id = current_tenant();
GRANT SELECT ON search_text_of_tenant, metadata_of_tenant, fork_of_tenant TO verbatim_app;
