-- The message table of the host system, as recovery.history_query expects it. seqd only reads it.
-- conv_id is VARBINARY: under most collations a VARCHAR takes 'a' and 'A' (and many an emoji) for the same conversation,
-- and uk_conv_seq then refuses the second message that carries a number.
CREATE TABLE IF NOT EXISTS im_message (
  id         BIGINT        NOT NULL AUTO_INCREMENT,
  conv_id    VARBINARY(64) NOT NULL,               -- the conversation, as in its seqd key
  seq        BIGINT        NOT NULL,               -- its place in the conversation: INCR seq:conv:{conv_id}
  msg_id     BIGINT        NOT NULL,               -- its name everywhere: SEQD.MSGID
  sender_id  BIGINT        NOT NULL DEFAULT 0,
  body       MEDIUMBLOB    NULL,
  created_at TIMESTAMP     NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  UNIQUE KEY uk_conv_seq (conv_id, seq),           -- the last guard, and what makes MAX(seq) a look-up
  UNIQUE KEY uk_msg_id (msg_id)
) ENGINE=InnoDB;

-- A table that has conv_id VARCHAR(64) with a collation: first look for ids that it has merged,
--   SELECT conv_id, COUNT(DISTINCT CAST(conv_id AS BINARY)) n FROM im_message GROUP BY conv_id HAVING n > 1;
-- then change it (the bytes stay as they are if its character set is utf8mb4):
--   ALTER TABLE im_message MODIFY conv_id VARBINARY(64) NOT NULL;
