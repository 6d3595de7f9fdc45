-- The tables, the append function and the walls around the log. The order is: role, log, projections and work, accounts,
-- functions, walls, grants. Written by hand: Prisma knows the tables, it does not make them.
--
-- All timestamps are cut to milliseconds, so that what a client is told, what is stored and what is compared are one value.

-- The application's role. It logs in under it or under a member of it; the owner, who runs this file, is somebody else.
-- Roles belong to the whole server: another database's migration may be making the same one right now.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'verbatim_app') THEN
    CREATE ROLE verbatim_app NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role verbatim_app is missing and % may not create it', current_user
      USING HINT = 'As an administrator: CREATE ROLE verbatim_app NOLOGIN. Then start again.';
END $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The log
-- ---------------------------------------------------------------------------------------------------------------------

-- The head of each session's log: how far it goes, and the hash that vouches for everything before.
CREATE TABLE stream (
  session_id uuid           PRIMARY KEY,
  tenant_id  uuid           NOT NULL,
  version    bigint         NOT NULL CHECK (version > 0),
  head_hash  bytea          NOT NULL CHECK (octet_length(head_hash) = 32),
  updated_at timestamptz(3) NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02); -- every append updates its row: leave room to do it in place

-- No foreign key to stream: append_events is the only writer, and a key would cost a lock and a look-up per event.
CREATE TABLE event (
  session_id     uuid           NOT NULL,
  seq            bigint         NOT NULL CHECK (seq > 0),
  position       bigint         GENERATED ALWAYS AS IDENTITY, -- grows, with gaps; orders the events of one transaction
  xact_id        xid8           NOT NULL DEFAULT pg_current_xact_id(),
  tenant_id      uuid           NOT NULL,
  event_id       uuid           NOT NULL,
  command_id     uuid           NOT NULL,
  type           text           NOT NULL,
  schema_version int            NOT NULL,
  actor          json           NOT NULL,
  data           json           NOT NULL, -- json keeps the text byte for byte; jsonb would rewrite keys and numbers and refuse \u0000
  digest         bytea          NOT NULL CHECK (octet_length(digest) = 32), -- SHA-256 of the text of data
  hash           bytea          NOT NULL CHECK (octet_length(hash) = 32),   -- link of the chain, see event_link
  recorded_at    timestamptz(3) NOT NULL,
  PRIMARY KEY (session_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02); -- rows never die here, so only inserts can bring the vacuum that keeps index-only scans and freezing cheap
CREATE INDEX event_feed ON event (xact_id, position);

-- What came of each command. Keeps a repeated command from acting twice; may be pruned once no client repeats that late.
CREATE TABLE receipt (
  tenant_id    uuid           NOT NULL,
  command_id   uuid           NOT NULL,
  request_hash bytea          NOT NULL CHECK (octet_length(request_hash) = 32),
  session_id   uuid           NOT NULL,
  first_seq    bigint         NOT NULL,
  last_seq     bigint         NOT NULL,
  created_at   timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, command_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);

-- ---------------------------------------------------------------------------------------------------------------------
-- What follows from the log, written in the same commit
-- ---------------------------------------------------------------------------------------------------------------------

-- The session list: one row per session, a projection that its log could make again.
CREATE TABLE session (
  session_id   uuid           PRIMARY KEY,
  tenant_id    uuid           NOT NULL,
  user_id      uuid           NOT NULL,
  title        text,
  model        text           NOT NULL,
  status       text           NOT NULL CHECK (status IN ('idle', 'running', 'waiting', 'closed')),
  queue_length int            NOT NULL,
  turn_id      uuid,
  created_at   timestamptz(3) NOT NULL,
  updated_at   timestamptz(3) NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX session_by_tenant ON session (tenant_id, updated_at, session_id);
CREATE INDEX session_by_user ON session (tenant_id, user_id, updated_at, session_id);
CREATE INDEX session_running ON session (updated_at) WHERE status = 'running';

-- Work to hand to the queue. A row lives from the commit that calls for the work until the queue has it.
CREATE TABLE outbox (
  outbox_id  bigint         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue      text           NOT NULL,
  job_id     text           NOT NULL UNIQUE,
  payload    jsonb          NOT NULL, -- ids only
  not_before timestamptz(3) NOT NULL DEFAULT now() -- moved into the future by whoever takes the row: a lease
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000); -- a short table with many deaths: its size must not decide
CREATE INDEX outbox_due ON outbox (not_before, outbox_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts and blobs
-- ---------------------------------------------------------------------------------------------------------------------

-- Ids are made from the names, so the primary keys also keep the names apart, whatever their length.
CREATE TABLE tenant (
  tenant_id  uuid           PRIMARY KEY,
  name       text           NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE app_user (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  user_id    uuid           NOT NULL,
  name       text           NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id)
);

CREATE TABLE api_token (
  token_id   uuid           PRIMARY KEY,
  token_hash bytea          NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32), -- SHA-256; the token itself is never stored
  tenant_id  uuid           NOT NULL,
  user_id    uuid           NOT NULL,
  role       text           NOT NULL CHECK (role IN ('admin', 'member')),
  name       text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user
);
CREATE INDEX api_token_by_user ON api_token (tenant_id, user_id);

-- Images and long pastes, once per tenant; messages name them by their hash.
CREATE TABLE blob (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  sha256     bytea          NOT NULL CHECK (octet_length(sha256) = 32),
  media_type text           NOT NULL,
  bytes      bytea          NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, sha256)
);
ALTER TABLE blob ALTER COLUMN bytes SET STORAGE EXTERNAL; -- media is compressed already
