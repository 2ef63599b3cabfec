-- seqd's own tables, for MySQL 8.0.1+ and MariaDB 10.6+. seqd runs this itself where its account may create tables
-- (sql/grants.sql); otherwise run it once in the schema that store.schema names:  mysql seqd < sql/schema_mysql.sql
-- Ids are VARBINARY: equal bytes are the same conversation, and nothing else is.

-- One row: which fleet these tables belong to. A daemon that is configured otherwise refuses to start.
CREATE TABLE IF NOT EXISTS seq_meta (
  id             TINYINT       NOT NULL DEFAULT 1,    -- always 1
  schema_version INT           NOT NULL DEFAULT 1,    -- rises with every file in sql/migrations
  slot_count     INT           NOT NULL DEFAULT 1024, -- ownership slots; a constant of the program
  hash_name      VARBINARY(32) NOT NULL DEFAULT '',   -- how a key is mapped to its slot
  key_prefix     VARBINARY(64) NOT NULL DEFAULT '',   -- resp.key_prefix: it is hashed, so it cannot change
  PRIMARY KEY (id)
) ENGINE=InnoDB;

-- A running daemon: its lease, its fence, its stamp. Every transaction of a daemon locks its own row first.
CREATE TABLE IF NOT EXISTS seq_owner (
  owner      VARBINARY(64)  NOT NULL,                 -- node id and a random nonce of the process start
  announce   VARBINARY(255) NOT NULL DEFAULT '',      -- host:port that clients are sent to
  host       VARBINARY(128) NOT NULL DEFAULT '',      -- identity of the lock file that a sole daemon holds
  beat       BIGINT         NOT NULL DEFAULT 0,       -- +1 in every unit; a beat that stands still is a lapsed lease
  resv_no    BIGINT         NOT NULL DEFAULT 0,       -- +1 in every unit on counters
  ttl_ms     BIGINT         NOT NULL DEFAULT 0,       -- the daemon's lease.ttl_ms: nobody takes over sooner
  fenced     TINYINT        NOT NULL DEFAULT 0,       -- 1: taken over. Never set back
  sole       TINYINT        NOT NULL DEFAULT 0,       -- 1: the lease does not lapse by time
  updated_at TIMESTAMP      NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, -- for people, and for clearing away old rows
  PRIMARY KEY (owner)
) ENGINE=InnoDB;

-- 1,024 rows: who may give out the numbers of a slot's conversations.
CREATE TABLE IF NOT EXISTS seq_slot (
  slot  SMALLINT UNSIGNED NOT NULL,                   -- 0 to 1023
  owner VARBINARY(64)     NULL DEFAULT NULL,          -- seq_owner.owner; NULL: nobody
  epoch BIGINT            NOT NULL DEFAULT 0,         -- +1 with every change of owner
  bump  BIGINT            NOT NULL DEFAULT 0,         -- what the store's lost commits lift every conversation of the slot by
  PRIMARY KEY (slot)
) ENGINE=InnoDB;

-- A conversation.
CREATE TABLE IF NOT EXISTS seq_counter (
  conv_id    VARBINARY(64)     NOT NULL,
  slot       SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  max_seq    BIGINT            NOT NULL DEFAULT 0,    -- every number up to here may have been given out; never falls
  cur_seq    BIGINT            NULL DEFAULT NULL,     -- the last number given out, after a clean release; else NULL
  issued_seq BIGINT            NOT NULL DEFAULT 0,    -- a number that is known to be given out; max_seq - issued_seq bounds a crash's gap
  bump_seen  BIGINT            NOT NULL DEFAULT 0,    -- the slot's bump that max_seq contains
  updated_at TIMESTAMP         NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, -- for people
  PRIMARY KEY (conv_id),
  CONSTRAINT seq_counter_range CHECK (max_seq BETWEEN 0 AND 9007199254740991)
) ENGINE=InnoDB;

-- Worker ids of msg_id: leased, never derived.
CREATE TABLE IF NOT EXISTS msg_worker (
  worker_id       SMALLINT UNSIGNED NOT NULL,         -- 1 to 1023
  owner           VARBINARY(64)     NULL DEFAULT NULL, -- seq_owner.owner; NULL: free
  epoch           BIGINT            NOT NULL DEFAULT 0, -- +1 with every change of owner
  beat            BIGINT            NOT NULL DEFAULT 0, -- +1 with every renewal
  time_ceiling_ms BIGINT            NOT NULL DEFAULT 0, -- no id at or after this time was given out; unix ms, never falls
  PRIMARY KEY (worker_id)
) ENGINE=InnoDB;
