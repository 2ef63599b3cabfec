-- Accounts for seqd, with the least that each needs. Run by an administrator; change names, hosts and passwords.
-- Neither account may have SUPER, READ_ONLY ADMIN, BINLOG ADMIN or CONNECTION ADMIN: the first two write on a server
-- that was set read-only for a failover, and seqd kills only connections of its own account.

CREATE DATABASE IF NOT EXISTS seqd;

-- 1. seqd creates and migrates its tables itself.
CREATE USER IF NOT EXISTS 'seqd_owner'@'%' IDENTIFIED BY 'change me';
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER ON seqd.* TO 'seqd_owner'@'%';

-- 2. An administrator ran sql/schema_mysql.sql; seqd only reads and writes rows. Counters are never deleted.
CREATE USER IF NOT EXISTS 'seqd'@'%' IDENTIFIED BY 'change me';
GRANT SELECT, INSERT         ON seqd.seq_meta    TO 'seqd'@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON seqd.seq_owner TO 'seqd'@'%';
GRANT SELECT, INSERT, UPDATE ON seqd.seq_slot    TO 'seqd'@'%';
GRANT SELECT, INSERT, UPDATE ON seqd.seq_counter TO 'seqd'@'%';
GRANT SELECT, INSERT, UPDATE ON seqd.msg_worker  TO 'seqd'@'%';

-- With recovery.history_query, either account also reads the host system's message table:
-- GRANT SELECT ON im.im_message TO 'seqd'@'%';
