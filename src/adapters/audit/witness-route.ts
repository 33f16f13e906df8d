/**
 * `GET /audit/witness?from=N`: the newest checkpoint with its proof of growth, for another machine that keeps and compares.
 *
 * Open to everybody, for it holds no personal data and is worth nothing if only few can ask. So it must be cheap: proofs of
 * one checkpoint are made once and one at a time.
 * @module
 */
import { Hono } from 'hono';
import type { CheckpointLogReader } from '../../events/checkpoint-ports.ts';
import { type WitnessOffer, witnessOffer } from './witness.ts';

/** Proofs kept of one checkpoint; witnesses that look each minute ask from the same few sizes. */
const OFFERS_KEPT = 32;

/** The route. 400 for a `from` that is no whole number, 404 before the first checkpoint. */
export function witnessRoute(log: CheckpointLogReader): Hono {
  let kept: { readonly note: string; readonly offers: Map<number, WitnessOffer> } | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  async function offerFrom(from: number): Promise<WitnessOffer | null> {
    const latest = await log.latest();
    if (latest === null) return null;
    if (kept?.note !== latest.note) kept = { note: latest.note, offers: new Map() };
    const known = kept.offers.get(from);
    if (known !== undefined) return known;
    const offer = await witnessOffer(log, from);
    if (offer !== null && kept.offers.size < OFFERS_KEPT) kept.offers.set(from, offer);
    return offer;
  }

  const app = new Hono();
  app.get('/audit/witness', async function witness(c) {
    const from = c.req.query('from') ?? '0';
    if (!/^\d{1,10}$/.test(from)) return problem(400, 'from is not a whole number');
    const offer = turn.then(() => offerFrom(Number(from)));
    turn = offer.catch(() => undefined);
    const offered = await offer;
    return offered === null ? problem(404, 'There is no checkpoint yet') : c.json(offered);
  });
  return app;
}

function problem(status: 400 | 404, title: string): Response {
  return new Response(JSON.stringify({ type: 'about:blank', title, status }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}
