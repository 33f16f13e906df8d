/**
 * Two service processes over one store: every delivery comes once or several times, to whichever of them, in any order.
 * @module
 */
import { createHash, createSecretKey } from 'node:crypto';
import { allLedgers, readLedger, verifyLedger } from '../../src/adapters/audit/reading.ts';
import { openFirestoreStore } from '../../src/adapters/firestore/store.ts';
import { subjectKeyFingerprint } from '../../src/events/identity.ts';
import { seededRandom } from '../adapters/sqlite/store-files.ts';
import { type LineDouble, startLineDouble } from '../support/line-double.ts';
import {
  postWebhook,
  serviceEnvironment,
  type ServiceProcess,
  startService,
  webhookBody,
} from '../support/service-process.ts';

const WISH = '以後優先找蔬食，幫我記住';
/** How often one delivery comes at most. */
const TIMES_MAX = 4;

type Delivery = { readonly userId: string; readonly id: string; readonly happening: object };

export type TwoServicesReport = {
  readonly people: number;
  readonly deliveries: number;
  /** Posts that were not answered with 200. */
  readonly notTaken: number;
  /** Deliveries with another number of effects than one. */
  readonly notOnce: number;
  /** People who saw more answers than their two deliveries ask for. */
  readonly answeredTwice: number;
  /** Ledgers that do not verify. */
  readonly problems: number;
};

/** One wish and one tap of each person, redelivered up to four times between two services. */
export async function runTwoServices(emulatorHost: string, people: number, seed: number): Promise<TwoServicesReport> {
  const random = seededRandom(seed);
  const line = await startLineDouble();
  const projectId = `demo-two-services-${process.pid}-${seed}`;
  const environment = serviceEnvironment('unused', line.url, {
    LEDGER_STORE: 'firestore',
    FIRESTORE_EMULATOR_HOST: emulatorHost,
    GOOGLE_CLOUD_PROJECT: projectId,
    METADATA_SERVER_DETECTION: 'none',
  });
  const services = await Promise.all([startService(environment), startService(environment)]);
  let notTaken = 0;
  /** Posts all deliveries, each once or more, shuffled, several at once. */
  async function deliver(deliveries: readonly Delivery[]): Promise<void> {
    const posts = deliveries.flatMap((delivery) =>
      Array.from({ length: 1 + Math.floor(random() * TIMES_MAX) }, (_, time) => ({ delivery, time })),
    );
    const shuffled = posts.map((post) => ({ post, at: random(), to: services[random() < 0.5 ? 0 : 1] }));
    shuffled.sort((one, other) => one.at - other.at);
    const lanes = Array.from({ length: 6 }, async () => {
      for (let next = shuffled.pop(); next !== undefined; next = shuffled.pop()) {
        const { userId, id, happening } = next.post.delivery;
        const body = webhookBody(userId, id, happening, next.post.time > 0);
        if ((await postWebhook(next.to?.url ?? '', body)) !== 200) notTaken += 1;
      }
    });
    await Promise.all(lanes);
    await emptied(services);
  }
  try {
    const userIds = Array.from({ length: people }, (_, person) => userIdOf(`${seed} ${person}`));
    const wishes = userIds.map((userId, person) => wishOf(userId, `01J${seed}W${String(person).padStart(18, '0')}`));
    await deliver(wishes);
    const taps = wishes.map(({ userId, id }, person) =>
      tapOf(userId, `01J${seed}T${String(person).padStart(18, '0')}`, cardIn(line, userId, id)),
    );
    await deliver(taps);
    const effects = await effectsIn(projectId, emulatorHost, environment.SUBJECT_KEY);
    const all = [...wishes, ...taps];
    return {
      people,
      deliveries: all.length,
      notTaken,
      notOnce: all.filter(({ id }) => effects.byCause.get(id) !== 1).length,
      answeredTwice: wishes.filter(({ userId, id }, person) => {
        const tokens = [id, taps[person]?.id ?? ''].map(replyTokenOf);
        return answersTo(line, userId, tokens) > 2;
      }).length,
      problems: effects.problems,
    };
  } finally {
    for (const { child } of services) child.kill('SIGTERM');
    await Promise.all(services.map(({ ended }) => ended));
    await line.close();
  }
}

function userIdOf(name: string): string {
  return `U${createHash('md5').update(name).digest('hex')}`;
}

function wishOf(userId: string, id: string): Delivery {
  return { userId, id, happening: { type: 'message', message: { type: 'text', id, text: WISH } } };
}

function tapOf(userId: string, id: string, data: string): Delivery {
  return { userId, id, happening: { type: 'postback', postback: { data } } };
}

function replyTokenOf(id: string): string | undefined {
  return (JSON.parse(webhookBody('U', id, {})) as { events: { replyToken: string }[] }).events[0]?.replyToken;
}

/** How often a person was answered: replies come by token, and a push in the place of one names the person. */
function answersTo(line: LineDouble, userId: string, tokens: readonly (string | undefined)[]): number {
  return line.seen.filter(({ replyToken, to }) => to === userId || tokens.includes(replyToken ?? '')).length;
}

function cardIn(line: LineDouble, userId: string, id: string): string {
  const token = replyTokenOf(id);
  const calls = line.seen.filter(({ replyToken, to }) => replyToken === token || to === userId);
  const data = /memory:approve:[A-Za-z0-9._-]+/.exec(JSON.stringify(calls.at(-1)?.messages ?? []))?.[0];
  if (data === undefined) throw new Error('No card came');
  return data;
}

/** Waits until no service has work left. */
async function emptied(services: readonly ServiceProcess[]): Promise<void> {
  for (const { url } of services) {
    for (;;) {
      const ready = (await (await fetch(`${url}/ready`)).json()) as { store: string; inbox: { waiting: number } };
      if (ready.store === 'ok' && ready.inbox.waiting === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function effectsIn(projectId: string, emulatorHost: string, subjectKey: string) {
  const store = await openFirestoreStore({
    projectId,
    emulatorHost,
    subjectKeyFingerprint: subjectKeyFingerprint(createSecretKey(Buffer.from(subjectKey, 'base64'))),
    clock: Date.now,
    random: Math.random,
    deadlineMs: 20_000,
    readOnly: true,
  });
  const byCause = new Map<string, number>();
  let problems = 0;
  for await (const ref of allLedgers(store.ledger)) {
    if ((await verifyLedger(store.ledger, ref)).problem !== null) problems += 1;
    for (const { event } of (await readLedger(store.ledger, ref)).events)
      byCause.set(event.causationid, (byCause.get(event.causationid) ?? 0) + 1);
  }
  await store.close();
  return { byCause, problems };
}
