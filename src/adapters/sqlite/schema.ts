/**
 * The tables of the store. Names, lengths and the two numbers below are the file format: a change is a new version.
 *
 * What can be erased stands in tables of its own (contents, and the tables whose names end in _bodies), in rows of one fixed length that
 * are only ever appended at the end of their table and then overwritten in place. So SQLite never has a reason to move
 * such a row to another page, and no copy is left behind by a split, a merge or a deletion; secure_delete stands behind that.
 * @module
 */
import { CONTENT_BYTES } from '../../events/commitment.ts';
import { ADDRESS_BYTES, INBOX_BODY_BYTES } from '../../events/delivery-ports.ts';
import { CONTEXT_BODY_BYTES, TURN_BODY_BYTES } from '../../events/turn-ports.ts';
import { FRAME_HEADER_BYTES } from './body-slots.ts';
import { CHECKPOINT_LOG_SQL } from './checkpoint-log.ts';

/** Marks a file as ours in its header: "LCL1". */
export const APPLICATION_ID = 0x4c434c31;
/**
 * The version of the tables below; a file with any other number is refused, by name and untouched. A change of the tables
 * raises it (a test holds the two together), and from the first release on brings a migration.
 */
export const SCHEMA_USER_VERSION = 2;

/**
 * Rows of events are found by UNIQUE(ledger, position) over a rowid table with integer ledger ids: measured faster than
 * WITHOUT ROWID. Every further index costs one page more in each durable write.
 */
export const SCHEMA_SQL = `
CREATE TABLE store (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ledgers (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE CHECK (length(key) = 43),
  kind TEXT NOT NULL,
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL CHECK (length(subject) = 43),
  purpose TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 1),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  time TEXT NOT NULL,
  content_revision INTEGER,
  state TEXT NOT NULL
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  ledger INTEGER NOT NULL REFERENCES ledgers (id),
  position INTEGER NOT NULL CHECK (position >= 1),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  bytes BLOB NOT NULL,
  UNIQUE (ledger, position)
) STRICT;

CREATE TABLE contents (
  ledger INTEGER PRIMARY KEY REFERENCES ledgers (id),
  body BLOB NOT NULL CHECK (length(body) = ${CONTENT_BYTES})
) STRICT;

CREATE TABLE once (
  key TEXT PRIMARY KEY,
  ledger TEXT NOT NULL,
  subject TEXT NOT NULL,
  outcome TEXT NOT NULL,
  answered INTEGER NOT NULL DEFAULT 0 CHECK (answered IN (0, 1)),
  created_at INTEGER NOT NULL,
  leased_until INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX once_owed ON once (subject) WHERE answered = 0;

CREATE TABLE inbox_bodies (
  slot INTEGER PRIMARY KEY,
  free INTEGER NOT NULL CHECK (free IN (0, 1)),
  body BLOB NOT NULL CHECK (length(body) = ${INBOX_BODY_BYTES + FRAME_HEADER_BYTES})
) STRICT;
CREATE INDEX inbox_bodies_free ON inbox_bodies (slot) WHERE free = 1;

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  subject TEXT NOT NULL CHECK (length(subject) = 43),
  message_id TEXT,
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  body_slot INTEGER REFERENCES inbox_bodies (slot),
  finished_at INTEGER
) STRICT;
CREATE INDEX inbox_unfinished ON inbox (subject, received_at, id) WHERE finished_at IS NULL;

CREATE TABLE address_bodies (
  slot INTEGER PRIMARY KEY,
  free INTEGER NOT NULL CHECK (free IN (0, 1)),
  body BLOB NOT NULL CHECK (length(body) = ${ADDRESS_BYTES + FRAME_HEADER_BYTES})
) STRICT;
CREATE INDEX address_bodies_free ON address_bodies (slot) WHERE free = 1;

CREATE TABLE addresses (
  subject TEXT PRIMARY KEY CHECK (length(subject) = 43),
  body_slot INTEGER NOT NULL REFERENCES address_bodies (slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn_bodies (
  slot INTEGER PRIMARY KEY,
  free INTEGER NOT NULL CHECK (free IN (0, 1)),
  body BLOB NOT NULL CHECK (length(body) = ${TURN_BODY_BYTES + FRAME_HEADER_BYTES})
) STRICT;
CREATE INDEX turn_bodies_free ON turn_bodies (slot) WHERE free = 1;

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  causation TEXT NOT NULL,
  subject TEXT NOT NULL CHECK (length(subject) = 43),
  ledger TEXT NOT NULL CHECK (length(ledger) = 43),
  used_revision INTEGER,
  recorded_at INTEGER NOT NULL,
  body_slot INTEGER REFERENCES turn_bodies (slot)
) STRICT;
CREATE INDEX turns_held ON turns (subject) WHERE body_slot IS NOT NULL;
CREATE INDEX turns_using ON turns (ledger, used_revision, recorded_at) WHERE used_revision IS NOT NULL;
CREATE INDEX turns_by_age ON turns (recorded_at);

CREATE TABLE context_bodies (
  slot INTEGER PRIMARY KEY,
  free INTEGER NOT NULL CHECK (free IN (0, 1)),
  body BLOB NOT NULL CHECK (length(body) = ${CONTEXT_BODY_BYTES + FRAME_HEADER_BYTES})
) STRICT;
CREATE INDEX context_bodies_free ON context_bodies (slot) WHERE free = 1;

CREATE TABLE contexts (
  subject TEXT PRIMARY KEY CHECK (length(subject) = 43),
  generation INTEGER NOT NULL,
  put_at INTEGER NOT NULL,
  body_slot INTEGER REFERENCES context_bodies (slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX contexts_held ON contexts (put_at) WHERE body_slot IS NOT NULL;

CREATE TABLE model_calls (
  day TEXT NOT NULL CHECK (length(day) = 10),
  subject TEXT NOT NULL CHECK (length(subject) = 43),
  calls INTEGER NOT NULL,
  PRIMARY KEY (day, subject)
) STRICT, WITHOUT ROWID;

-- Erasures asked for, and how many of them are known to have left the write-ahead log too.
CREATE TABLE erasures (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  requested INTEGER NOT NULL,
  done INTEGER NOT NULL
) STRICT;
INSERT INTO erasures VALUES (1, 0, 0);

CREATE TRIGGER events_append_only_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_append_only_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
-- INSERT OR REPLACE deletes without asking the trigger above: so an event may only ever be the next of its ledger.
CREATE TRIGGER events_append_only_insert BEFORE INSERT ON events
WHEN NEW.position <> 1 + coalesce((SELECT max(position) FROM events WHERE ledger = NEW.ledger), 0)
  OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'an event is only ever the next of its ledger'); END;
CREATE TRIGGER ledgers_keep_delete BEFORE DELETE ON ledgers
BEGIN SELECT RAISE(ABORT, 'ledgers are kept'); END;
CREATE TRIGGER ledgers_keep_identity BEFORE UPDATE OF id, key, kind, tenant, subject, purpose ON ledgers
BEGIN SELECT RAISE(ABORT, 'the naming of a ledger is fixed'); END;
${CHECKPOINT_LOG_SQL}`;
