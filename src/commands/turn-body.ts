/**
 * What is kept of one turn in its erasable row, and how it is written there.
 * @module
 */
import * as v from 'valibot';
import { TURN_BODY_BYTES } from '../events/turn-ports.ts';

const count = v.nullable(v.number());
const word = v.nullable(v.string());
const PublicTurn = v.strictObject({ topic: v.picklist(['places', 'events', 'help']), area: v.string() });

const Attempt = v.strictObject({
  retry: v.picklist([0, 1]),
  /** Unix milliseconds; `to` is when the answer was there or the waiting ended. */
  from: v.number(),
  to: v.number(),
  backend: v.string(),
  model: v.string(),
  modelVersion: word,
  outcome: v.string(),
  httpStatus: count,
  why: v.string(),
  promptTokens: count,
  outputTokens: count,
  thoughtTokens: count,
  totalTokens: count,
  /** Millionths of a US dollar; null: not known, which is not 0. */
  costMicroUsd: count,
  proposed: v.array(v.strictObject({ functionCallId: word, name: v.string(), arguments: word })),
});

const Ran = v.strictObject({
  tool: v.string(),
  /** As the router asked; null when withheld. */
  arguments: v.nullable(v.record(v.string(), v.string())),
  /** What the tool was really given, consented memory filled in; null when withheld or when the tool takes none. */
  effective: v.nullable(v.record(v.string(), v.string())),
  origin: v.nullable(v.picklist(['this_turn', 'consented_memory', 'none'])),
  status: v.string(),
  resultIds: v.array(v.string()),
});

export const TurnBody = v.strictObject({
  version: v.literal(1),
  /** `document`: an untrusted document was read, on the route that can only search. */
  route: v.picklist(['chat', 'document']),
  router: v.picklist(['rules', 'gemini']),
  request: v.strictObject({
    catalogVersion: v.string(),
    context: v.nullable(v.strictObject({ goal: v.nullable(PublicTurn), turns: v.array(PublicTurn) })),
    /** As typed; null when withheld. */
    text: word,
  }),
  /** Why text and arguments are not here: they spoke of what to remember, and nothing of that is kept before consent. */
  withheld: v.nullable(v.picklist(['memory_wish'])),
  /** Whether something was left out because the row has one fixed length. */
  trimmed: v.boolean(),
  /** The revision the turn began at, or null when it looked at none. */
  revision: count,
  attempts: v.array(Attempt),
  /** Of all attempts; null when that of one is not known. */
  costMicroUsd: count,
  /** What the router made of it. */
  routed: v.string(),
  ran: v.array(Ran),
  /** The statuses of the answers, in order. */
  statuses: v.array(v.string()),
});
export type TurnBody = v.InferOutput<typeof TurnBody>;

const TEXT_KEPT_WHEN_TRIMMED = 400;
const RESULT_IDS_KEPT_WHEN_TRIMMED = 10;

/** What is left out, in this order, until the body fits. The last of them always does. */
const TRIMS: readonly ((body: TurnBody) => TurnBody)[] = [
  (body) => body,
  (body) => withAttempts(body, (proposed) => proposed.map((call) => ({ ...call, arguments: null }))),
  (body) => ({
    ...withAttempts(body, () => []),
    request: { ...body.request, text: body.request.text?.slice(0, TEXT_KEPT_WHEN_TRIMMED).toWellFormed() ?? null },
    ran: body.ran.map((call) => ({ ...call, resultIds: call.resultIds.slice(0, RESULT_IDS_KEPT_WHEN_TRIMMED) })),
  }),
  (body) => ({ ...body, request: { ...body.request, text: null, context: null }, attempts: [], ran: [] }),
];

function withAttempts(
  body: TurnBody,
  change: (proposed: TurnBody['attempts'][number]['proposed']) => TurnBody['attempts'][number]['proposed'],
): TurnBody {
  return { ...body, attempts: body.attempts.map((one) => ({ ...one, proposed: change(one.proposed) })) };
}

/** The body as bytes, JSON in UTF-8, at most {@link TURN_BODY_BYTES}: what does not fit is left out and `trimmed` says so. */
export function encodeTurnBody(body: TurnBody): Uint8Array {
  for (const [index, trim] of TRIMS.entries()) {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...trim(body), trimmed: body.trimmed || index > 0 }));
    if (bytes.length <= TURN_BODY_BYTES) return bytes;
  }
  throw new RangeError('A turn without its words does not fit its row');
}

/** Reads a body back; null for bytes that are none. */
export function decodeTurnBody(bytes: Uint8Array): TurnBody | null {
  try {
    const parsed = v.safeParse(TurnBody, JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
