/**
 * Where things stand in Firestore and how their fields are read back. The spelling here is the storage format.
 *
 *     meta/store                          {format, subjectKeyFingerprint}
 *     ledgers/{ledgerId}                  the head: {position, hash, time, state, kind, tenantId, subjectKey, purpose}
 *     ledgers/{ledgerId}/events/{position, 10 digits}   {position, hash, bytes}, created and never changed
 *     ledgers/{ledgerId}/content/current  {revision, bytes}, gone after a forget
 *     once/{rowId}                        {key, shard, ledgerId, subjectKey, outcome, answered, madeAt, dueAt, attempts}
 *     inbox/{rowId}                       {key, shard, subjectKey, messageId, receivedAt, dueAt, attempts, open, held, body,
 *                                          finishedAt, expireAt}; of a message dropped before it came a finished job without a body
 *     subjects/{subjectKey}               {newestJob, newestTurn}: changes with every job and turn, so that a forget misses none
 *     turns/{rowId}                       {turnId, causationId, shard, subjectKey, ledgerId, usedRevision, recordedAt, held, body}
 *     contexts/{subjectKey}               {generation, shard, putAt, held, body}
 *     modelCalls/{rowId}                  {subjectKey, day, shard, calls}
 *     addresses/{subjectKey}              {sealed, written}
 *     moved/{ledgerId}-{position}         {ledgerId, position, hash}: a commit that is not witnessed yet
 *     log/end, log/writer, log/newest     {size}, {holder, leasedUntil}, {size, note, signedAt}
 *     logLeaves/{last index, 10 digits}   {first, leaves}: what one append wrote; one writer, once a minute
 *     checkpoints/{size, 10 digits}       {size, note, signedAt}, created and never changed
 *
 * No root id grows with time: ledgerId and subjectKey are keyed digests, a rowId is the digest of its key (a
 * webhookEventId begins with its time). Fields that do grow with time are indexed behind `shard`, 16 ranges instead of one.
 * @module
 */
import { hash } from 'node:crypto';
import type firestore from '@google-cloud/firestore';
import type { LedgerId, SubjectKey } from '../../events/identity.ts';

/** The version of the format above. */
export const STORE_FORMAT = 1;
/** All shards, for queries over every one. */
export const SHARDS: readonly number[] = Array.from({ length: 16 }, (_, shard) => shard);
/** The most documents one page of a query holds. */
export const PAGE = 100;

const POSITION_DIGITS = 10;
const POSITION_MAX = 10 ** POSITION_DIGITS - 1;
const FRAME_HEADER_BYTES = 4;

type Ref = firestore.DocumentReference;
type Db = firestore.Firestore;

export const headRef = (db: Db, ledgerId: LedgerId): Ref => db.doc(`ledgers/${ledgerId}`);
export const contentRef = (db: Db, ledgerId: LedgerId): Ref => db.doc(`ledgers/${ledgerId}/content/current`);
export const eventRef = (db: Db, ledgerId: LedgerId, position: number): Ref =>
  db.doc(`ledgers/${ledgerId}/events/${positionId(position)}`);
export const onceRef = (db: Db, key: string): Ref => db.doc(`once/${rowId(key)}`);
export const jobRef = (db: Db, key: string): Ref => db.doc(`inbox/${rowId(key)}`);
export const subjectRef = (db: Db, subjectKey: SubjectKey): Ref => db.doc(`subjects/${subjectKey}`);
export const turnRef = (db: Db, turnId: string): Ref => db.doc(`turns/${rowId(turnId)}`);
export const contextRef = (db: Db, subjectKey: SubjectKey): Ref => db.doc(`contexts/${subjectKey}`);
export const modelCallsRef = (db: Db, subjectKey: SubjectKey, day: string): Ref =>
  db.doc(`modelCalls/${rowId(`${subjectKey}|${day}`)}`);
export const movedRef = (db: Db, ledgerId: LedgerId, position: number): Ref =>
  db.doc(`moved/${ledgerId}-${positionId(position)}`);
export const addressRef = (db: Db, subjectKey: SubjectKey): Ref => db.doc(`addresses/${subjectKey}`);

/** The id of an event's document: text order is position order. Positions beyond either end are taken as the end. */
export function positionId(position: number): string {
  return String(Math.min(Math.max(position, 0), POSITION_MAX)).padStart(POSITION_DIGITS, '0');
}

/** The id of the row with this key: 43 characters that say nothing of when it was made, whatever the key holds. */
export function rowId(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** The shard of a row, 0 to 15. */
export function shardOf(key: string): number {
  return (hash('sha256', key, 'buffer')[0] ?? 0) >> 4;
}

/** A body in its fixed length: four bytes of length, the body, zeros. @throws RangeError when it is too long. */
export function frame(body: Uint8Array, capacity: number): Buffer {
  if (body.length > capacity) throw new RangeError(`A body has at most ${capacity} bytes`);
  const framed = Buffer.alloc(FRAME_HEADER_BYTES + capacity);
  framed.writeUInt32BE(body.length);
  framed.set(body, FRAME_HEADER_BYTES);
  return framed;
}

/** The body in a frame, exactly as it was given. */
export function unframe(framed: Uint8Array): Uint8Array {
  const bytes = Buffer.from(framed);
  return Uint8Array.from(bytes.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + bytes.readUInt32BE()));
}

/** A document holds what this program does not write there. */
export class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}

/** Reads fields of one document; each throws DamagedDocument where the field is of another kind. */
export type Fields = {
  text(field: string): string;
  integer(field: string): number;
  bytes(field: string): Uint8Array;
  flag(field: string): boolean;
  /** Null where the field is null, else as `text`. */
  textOrNull(field: string): string | null;
  bytesOrNull(field: string): Uint8Array | null;
};

/** The fields of a document that exists. */
export function fieldsOf(snapshot: firestore.DocumentSnapshot): Fields {
  const [collection] = snapshot.ref.parent.path.split('/').slice(-1);
  function read<T>(field: string, is: (value: unknown) => value is T): T {
    const value: unknown = snapshot.get(field);
    if (!is(value)) throw new DamagedDocument(`A document of ${collection} has no readable ${field}`);
    return value;
  }
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
  return {
    text: (field) => read(field, isText),
    integer: (field) => read(field, (value): value is number => Number.isSafeInteger(value)),
    bytes: (field) => read(field, isBytes),
    flag: (field) => read(field, (value) => typeof value === 'boolean'),
    textOrNull: (field) => read(field, (value) => value === null || isText(value)),
    bytesOrNull: (field) => read(field, (value) => value === null || isBytes(value)),
  };
}
