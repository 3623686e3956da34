/** "Evkl" in ASCII: the `application_id` in the header of a state file. Never change it. */
export const APPLICATION_ID = 0x45766b6c;

/** The `user_version` in the header. Raised only when older code could not read the file. */
export const SCHEMA_VERSION = 1;

/*
 * item            the table of state-keys.ts. `body` is JSON; the other columns repeat the fields of searches.
 *                 due_shard and due_at: both or neither. expires_at: the row may be removed after that.
 * queue           the queues of this installation, so that an operator finds their dead letters.
 * fifo_group      one row for each group that has messages. `turn` orders the groups; hidden_until is the latest one of
 *                 the group's messages, and NULL when none is in flight.
 * fifo_message    in the order of the sends. hidden_until and hidden_at are set while it is in flight; receiver is the
 *                 process that received it last.
 * deduplication   ids of FIFO messages that were sent in the last five minutes.
 * delayed_message visible_at and set_at change with each receive.
 * dead_letter     reason is NULL for a message that was received too often. group_id is NULL for a delayed one.
 * process         the processes that work on the file, by their name in leases and as receivers.
 * object          the objects of the embedded cluster. `body` is JSON and has the resourceVersion of the last write.
 * collection      the revision of the last write to each collection of objects; deletions count. Rows stay.
 *
 * All times are epoch ms of the machine's wall clock, because every process of the file sees the same one. An id is
 * never used twice.
 */
export const SCHEMA = `
CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  pk TEXT NOT NULL,
  sk TEXT NOT NULL,
  body TEXT NOT NULL,
  due_shard INTEGER,
  due_at REAL,
  expires_at INTEGER,
  UNIQUE (pk, sk)
) STRICT;
CREATE INDEX item_due ON item (due_shard, due_at, pk, sk) WHERE due_shard IS NOT NULL;
CREATE INDEX item_expiry ON item (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE queue (
  name TEXT NOT NULL PRIMARY KEY,
  type TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fifo_group (
  queue TEXT NOT NULL,
  group_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  hidden_until INTEGER,
  PRIMARY KEY (queue, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fifo_group_ready ON fifo_group (queue, turn) WHERE hidden_until IS NULL;
CREATE INDEX fifo_group_hidden ON fifo_group (queue, hidden_until) WHERE hidden_until IS NOT NULL;

CREATE TABLE fifo_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  group_id TEXT NOT NULL,
  body TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  receive_count INTEGER NOT NULL DEFAULT 0,
  hidden_until INTEGER,
  hidden_at INTEGER,
  receiver TEXT
) STRICT;
CREATE INDEX fifo_message_group ON fifo_message (queue, group_id, id);
CREATE INDEX fifo_message_hidden ON fifo_message (queue, hidden_until) WHERE hidden_until IS NOT NULL;

CREATE TABLE deduplication (
  queue TEXT NOT NULL,
  id TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (queue, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deduplication_age ON deduplication (sent_at);

CREATE TABLE delayed_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  receive_count INTEGER NOT NULL DEFAULT 0,
  visible_at INTEGER NOT NULL,
  set_at INTEGER NOT NULL,
  receiver TEXT
) STRICT;
CREATE INDEX delayed_message_visible ON delayed_message (queue, visible_at, id);

CREATE TABLE dead_letter (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  message_id TEXT NOT NULL,
  group_id TEXT,
  body TEXT NOT NULL,
  reason TEXT,
  sent_at INTEGER NOT NULL,
  UNIQUE (queue, message_id)
) STRICT;
CREATE INDEX dead_letter_queue ON dead_letter (queue, id);

CREATE TABLE process (
  owner TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE object (
  id INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (collection, key)
) STRICT;

CREATE TABLE collection (
  name TEXT NOT NULL PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
