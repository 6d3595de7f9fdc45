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
CREATE INDEX event_feed ON event (xact_id, position); -- of all tenants: see pending_leaves
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
  -- How far its holders have come, if the task continues where the last one stopped.
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
-- Functions
-- ---------------------------------------------------------------------------------------------------------------------

-- Functions are in prisma/functions, which a start applies after the migrations when they have changed. These here are named by the triggers, policies and views below; until then
-- nothing is written, and no row is visible.
CREATE FUNCTION count_blob() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE FUNCTION count_blob_use() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE FUNCTION guard_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE FUNCTION guard_revocation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE FUNCTION guard_stream() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT NULL::uuid $$;

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Row level security
-- ---------------------------------------------------------------------------------------------------------------------

-- Row level security between tenants: the application sees and writes rows of the tenant that its transaction has set, and without one, none. What it does for all of them are
-- functions with the owner's rights: no statement that the application writes itself reads the rows of another tenant. See docs/people.md.
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
