/**
 * A stream of wishes and taps against a service that is killed with -9 at random, again and again, on one store.
 * @module
 */
import { createHash, createSecretKey } from 'node:crypto';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { allLedgers, readLedger, verifyLedger } from '../../src/adapters/audit/reading.ts';
import { openSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { preferenceLedger, subjectKeyFingerprint, subjectKeyOf, TenantId } from '../../src/events/identity.ts';
import { newFolder, seededRandom } from '../adapters/sqlite/store-files.ts';
import { type LineDouble, startLineDouble } from '../support/line-double.ts';
import {
  postWebhook,
  serviceEnvironment,
  type ServiceProcess,
  startService,
  webhookBody,
} from '../support/service-process.ts';

const CHATTING_AT_ONCE = 6;
/** A kill falls within this time after the stream began, milliseconds. */
const KILL_WITHIN_MS = 350;
const WISH = '以後優先找蔬食，幫我記住';

export type KillsReport = {
  readonly kills: number;
  readonly acknowledgedWishes: number;
  readonly acknowledgedTaps: number;
  /** Deliveries whose answer was lost to a kill. */
  readonly lostAnswers: number;
  /** Acknowledged wishes without an offer in the ledger. */
  readonly wishesMissing: number;
  /** Acknowledged taps without a decision in the ledger. */
  readonly tapsMissing: number;
  /** Decisions that stand more than once for one delivery. */
  readonly doubled: number;
  /** Taps whose lost answer was not told truly after a redelivery. */
  readonly untoldTaps: number;
  readonly problems: number;
  readonly integrity: string;
};

type Tap = { readonly userId: string; readonly eventId: string; readonly data: string; status: number | null };

/** Kills the service `kills` times and judges what the store then holds. */
export async function runKills(kills: number, seed: number): Promise<KillsReport> {
  const random = seededRandom(seed);
  const folder = newFolder();
  const line = await startLineDouble();
  const environment = serviceEnvironment(folder, line.url);
  const wishes: { userId: string; eventId: string; status: number | null }[] = [];
  const taps: Tap[] = [];
  let made = 0;
  const newId = (): string => `01J${seed}${String((made += 1)).padStart(18, '0')}`;
  let service = await startService(environment);
  try {
    for (let killed = 0; killed < kills; killed += 1) {
      const running = service;
      let killedNow = false;
      const chatters = Array.from({ length: CHATTING_AT_ONCE }, async () => {
        while (!killedNow) await wishAndTap(running, line, newId, wishes, taps);
      });
      await wait(random() * KILL_WITHIN_MS);
      killedNow = true;
      running.child.kill('SIGKILL');
      await Promise.all([...chatters, running.ended]);
      service = await startService(environment);
    }
    await redeliver(service, wishes, taps);
    await settled(service, line, taps);
    service.child.kill('SIGTERM');
    await service.ended;
    return await judge(folder, environment.SUBJECT_KEY, line, kills, wishes, taps);
  } finally {
    service.child.kill('SIGKILL');
    await line.close();
    rmSync(folder, { recursive: true });
  }
}

/** One person who wishes once and taps once; gives up when the service is gone. */
async function wishAndTap(
  service: ServiceProcess,
  line: LineDouble,
  newId: () => string,
  wishes: { userId: string; eventId: string; status: number | null }[],
  taps: Tap[],
): Promise<void> {
  const eventId = newId();
  const userId = `U${createHash('md5').update(eventId).digest('hex')}`;
  const wish = { userId, eventId, status: null as number | null };
  wishes.push(wish);
  wish.status = await postWebhook(service.url, wishBody(userId, eventId, false));
  if (wish.status !== 200) return;
  const data = await cardFor(service, line, eventId);
  if (data === null) return;
  const tap: Tap = { userId, eventId: newId(), data, status: null };
  taps.push(tap);
  tap.status = await postWebhook(service.url, tapBody(tap, false));
}

const wishBody = (userId: string, eventId: string, redelivered: boolean): string =>
  webhookBody(userId, eventId, { type: 'message', message: { type: 'text', id: eventId, text: WISH } }, redelivered);
const tapBody = ({ userId, eventId, data }: Tap, redelivered: boolean): string =>
  webhookBody(userId, eventId, { type: 'postback', postback: { data } }, redelivered);

/** The data of 同意記住 in the reply to a wish, or null when the service ended before it came. */
async function cardFor(service: ServiceProcess, line: LineDouble, eventId: string): Promise<string | null> {
  const { replyToken } =
    (JSON.parse(wishBody('U', eventId, false)) as { events: { replyToken: string }[] }).events[0] ?? {};
  for (;;) {
    const call = line.seen.find((seen) => seen.replyToken === replyToken);
    const data =
      call === undefined ? undefined : /memory:approve:[A-Za-z0-9._-]+/.exec(JSON.stringify(call.messages))?.[0];
    if (data !== undefined) return data;
    if (service.child.exitCode !== null || service.child.signalCode !== null) return null;
    await Promise.race([line.called(line.calls.length + 1), service.ended]);
  }
}

/** LINE redelivers what was not answered with 200. */
async function redeliver(
  service: ServiceProcess,
  wishes: { userId: string; eventId: string; status: number | null }[],
  taps: readonly Tap[],
) {
  for (const wish of wishes.filter(({ status }) => status !== 200)) {
    if ((await postWebhook(service.url, wishBody(wish.userId, wish.eventId, true))) !== 200)
      throw new Error('A redelivered wish was not taken');
  }
  for (const tap of taps.filter(({ status }) => status !== 200)) {
    if ((await postWebhook(service.url, tapBody(tap, true))) !== 200)
      throw new Error('A redelivered tap was not taken');
  }
}

/** A job that a killed process had leased is due again after 30 s: looks of 100 ms until then, and some. */
const LOOKS_MAX = 600;

/** Waits until the inbox is empty and everybody who tapped has been told something after the tap. */
async function settled(service: ServiceProcess, line: LineDouble, taps: readonly Tap[]): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const ready = (await (await fetch(`${service.url}/ready`)).json()) as { inbox: { waiting: number } };
    if (ready.inbox.waiting === 0 && taps.every((tap) => toldOf(line, tap))) return;
    await wait(100);
  }
}

/** Whether a person was told that their condition is remembered (or was already). */
function toldOf(line: LineDouble, { userId, eventId }: Tap): boolean {
  const { replyToken } =
    (JSON.parse(webhookBody(userId, eventId, {})) as { events: { replyToken: string }[] }).events[0] ?? {};
  return line.seen.some(
    (call) =>
      (call.replyToken === replyToken || call.to === userId) && /已記住|已經/.test(JSON.stringify(call.messages)),
  );
}

async function judge(
  folder: string,
  subjectKeyText: string,
  line: LineDouble,
  kills: number,
  wishes: readonly { userId: string; eventId: string; status: number | null }[],
  taps: readonly Tap[],
): Promise<KillsReport> {
  const secret = createSecretKey(Buffer.from(subjectKeyText, 'base64'));
  const store = await openSqliteStore({
    path: `${folder}/ledger.sqlite`,
    subjectKeyFingerprint: subjectKeyFingerprint(secret),
    clock: Date.now,
    random: Math.random,
    readOnly: true,
  });
  const causes = new Map<string, number>();
  const decided = new Map<string, number>();
  let problems = 0;
  for await (const ledger of allLedgers(store.ledger)) {
    if ((await verifyLedger(store.ledger, ledger)).problem !== null) problems += 1;
    for (const { event } of (await readLedger(store.ledger, ledger)).events) {
      const into =
        event.type === 'preference.proposed' ? causes : event.type === 'preference.approved' ? decided : null;
      into?.set(event.causationid, (into.get(event.causationid) ?? 0) + 1);
    }
  }
  const tenantId = v.parse(TenantId, 'test');
  const revisionOf = async (userId: string): Promise<number> => {
    const subjectKey = subjectKeyOf(secret, tenantId, 'line', userId);
    const ref = preferenceLedger(secret, tenantId, subjectKey, 'diet_for_place_search');
    const { head } = await readLedger(store.ledger, ref);
    return head.state === null ? 0 : (JSON.parse(head.state) as { present: { revision: number } }).present.revision;
  };
  // A tap's own delivery decides, unless an earlier card was replaced by a re-issued one: then the refusal is the answer.
  let tapsMissing = 0;
  for (const tap of taps) {
    const answered = decided.has(tap.eventId) || (await store.ledger.once(tap.eventId)) !== null;
    if (!answered || (await revisionOf(tap.userId)) > 1) tapsMissing += 1;
  }
  await store.close();
  return {
    kills,
    acknowledgedWishes: wishes.filter(({ status }) => status === 200).length,
    acknowledgedTaps: taps.filter(({ status }) => status === 200).length,
    lostAnswers: [...wishes, ...taps].filter(({ status }) => status !== 200).length,
    wishesMissing: wishes.filter(({ eventId }) => !causes.has(eventId)).length,
    tapsMissing,
    doubled: [...decided.values()].filter((count) => count > 1).length,
    untoldTaps: taps.filter((tap) => decided.has(tap.eventId) && !toldOf(line, tap)).length,
    problems,
    integrity: integrityOf(`${folder}/ledger.sqlite`),
  };
}

function integrityOf(path: string): string {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return String(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
  } finally {
    db.close();
  }
}
