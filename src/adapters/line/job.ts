/**
 * What stands in an inbox body, and what of an entry may: no card token, no value chosen by button, no location.
 * @module
 */
import * as v from 'valibot';
import type { Entry } from '../../commands/entries.ts';

const page = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const QueuedEntry = v.variant('entry', [
  v.object({
    entry: v.picklist([
      'menu',
      'inspect',
      'explain',
      'update',
      'my_records',
      'my_receipt',
      'bare_yes',
      'events',
      'retry_guide',
      'service_request',
      'welcome',
      'unsupported_message',
    ]),
  }),
  v.object({ entry: v.literal('choose_area'), page }),
  v.object({
    entry: v.literal('places'),
    area: v.string(),
    dietary_type: v.string(),
    keyword: v.string(),
    near: v.null(),
    page,
  }),
]);
/** An entry that may wait in the inbox. */
export type QueuedEntry = v.InferOutput<typeof QueuedEntry>;

const replyToken = v.nullable(v.string());
const JobBody = v.variant('kind', [
  v.object({ kind: v.literal('text'), text: v.string(), replyToken }),
  v.object({ kind: v.literal('entry'), entry: QueuedEntry, replyToken }),
  /** Closes the card of a message once the turn of that message, which may be running, has ended. */
  v.object({ kind: v.literal('withdraw'), messageId: v.string(), method: v.picklist(['unsend', 'message']) }),
]);
/** Work waiting in the inbox. */
export type JobBody = v.InferOutput<typeof JobBody>;

/**
 * The form of an entry that may wait. What decided is never queued: its outcome stands in the ledger's store, and where
 * there is none the person is shown how things stand. A chosen value is asked for again, a location is left out.
 */
export function queuedForm(entry: Entry): QueuedEntry {
  switch (entry.entry) {
    case 'approve':
    case 'cancel':
    case 'forget':
      return { entry: 'inspect' };
    case 'choose_value':
      return { entry: 'update' };
    case 'places':
      return { ...entry, near: null };
    default:
      return entry;
  }
}

/** The body as bytes, JSON in UTF-8. */
export function encodeJobBody(body: JobBody): Uint8Array {
  return Buffer.from(JSON.stringify(body));
}

/** Reads a body back, padding of zero bytes or spaces included; null for bytes that are none. */
export function decodeJobBody(bytes: Uint8Array): JobBody | null {
  const text = Buffer.from(bytes).toString('utf8').replace(/\0+$/, '');
  try {
    const parsed = v.safeParse(JobBody, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
