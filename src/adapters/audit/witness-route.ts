/**
 * `GET /audit/witness?from=N`: the newest checkpoint with its proof of growth, for another machine that keeps and compares.
 *
 * Open to everybody, for it holds no personal data and is worth nothing if only few can ask. So it must be cheap: the log
 * is read once for each checkpoint, whoever asks; from what was read, a proof from any size is a few hashes.
 * @module
 */
import { Hono } from 'hono';
import type { CheckpointLogReader } from '../../events/checkpoint-ports.ts';
import { type ProvableLog, readProvableLog } from './bundle-proofs.ts';
import { LogDamaged } from './checkpoint-log.ts';
import { witnessOffer } from './witness.ts';

/** Requests that may wait while the log under a new checkpoint is read. */
const WAITING_MAX = 32;
/** When to ask again if too many wait, seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The route. 400 for a `from` that is no whole number, 404 before the first checkpoint, 503 when too many wait or none can read. */
export function witnessRoute(log: CheckpointLogReader): Hono {
  let kept: { readonly note: string; readonly provable: ProvableLog | LogDamaged } | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function newest(): Promise<ProvableLog | LogDamaged | null> {
    const latest = await log.latest();
    if (latest === null) return null;
    if (kept?.note === latest.note) return kept.provable;
    kept = null;
    // A damaged log is not read again for each who asks.
    const provable = await readProvableLog(log, new Set()).catch((error: unknown) => {
      if (error instanceof LogDamaged) return error;
      throw error;
    });
    if (provable === null) return null;
    kept = { note: provable instanceof LogDamaged ? latest.note : provable.checkpoint.note, provable };
    return provable;
  }
  /** One at a time, so that a new checkpoint is read once. */
  function inTurn(): Promise<ProvableLog | LogDamaged | null> {
    waiting += 1;
    const next = turn.then(newest).finally(() => {
      waiting -= 1;
    });
    turn = next.catch(() => undefined);
    return next;
  }

  const app = new Hono();
  app.get('/audit/witness', async function witness(c) {
    const from = c.req.query('from') ?? '0';
    if (!/^\d{1,10}$/.test(from)) return problem(400, 'from is not a whole number');
    if (waiting >= WAITING_MAX) return problem(503, 'Too many wait; ask again later');
    const provable = await inTurn();
    if (provable === null) return problem(404, 'There is no checkpoint yet');
    if (provable instanceof LogDamaged) return problem(500, 'The log is not what was signed');
    return c.json(witnessOffer(provable, Number(from)));
  });
  app.onError(() => problem(503, 'The log cannot be read now'));
  return app;
}

function problem(status: 400 | 404 | 500 | 503, title: string): Response {
  return new Response(JSON.stringify({ type: 'about:blank', title, status }), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
    },
  });
}
