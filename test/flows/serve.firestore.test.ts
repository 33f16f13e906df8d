/**
 * The service as a process on Firestore: a store that cannot be reached is said, and nothing hangs or dies of it.
 * @module
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newProject } from '../adapters/firestore/emulated-store.ts';
import { type LineDouble, startLineDouble } from '../support/line-double.ts';
import { onEmulator } from '../support/on-emulator.ts';
import {
  postWebhook,
  serviceEnvironment,
  type ServiceProcess,
  startService,
  webhookBody,
} from '../support/service-process.ts';

/** A webhook must be answered within this time, milliseconds: LINE counts 2 s. */
const WEBHOOK_MS = 2_000;
const PERSON = `U${'c'.repeat(32)}`;

/** A way to the emulator that can be shut and opened while its address stays. */
async function openGate(upstream: () => string) {
  const sockets = new Set<Socket>();
  let open = false;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    if (!open) return void socket.destroy();
    const [host, port] = upstream().split(':');
    const through = connect(Number(port), host);
    sockets.add(through);
    through.on('close', () => sockets.delete(through)).on('error', () => socket.destroy());
    socket.pipe(through).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => void socket.destroy());
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(isOpen: boolean) {
      open = isOpen;
      if (!isOpen) cut();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

async function timed<T>(work: Promise<T>): Promise<{ readonly value: T; readonly milliseconds: number }> {
  const began = performance.now();
  const value = await work;
  return { value, milliseconds: performance.now() - began };
}

const readiness = async ({ url }: ServiceProcess): Promise<number> => (await fetch(`${url}/ready`)).status;
const wish = (id: string) =>
  webhookBody(PERSON, id, { type: 'message', message: { type: 'text', id, text: '以後優先找蔬食，幫我記住' } });

onEmulator('The service on Firestore', (host) => {
  let gate: Awaited<ReturnType<typeof openGate>>;
  let line: LineDouble;
  let service: ServiceProcess;
  beforeEach(async () => {
    gate = await openGate(host);
    line = await startLineDouble();
  });
  async function start(): Promise<void> {
    service = await startService(
      serviceEnvironment('unused', line.url, {
        LEDGER_STORE: 'firestore',
        FIRESTORE_EMULATOR_HOST: gate.host,
        GOOGLE_CLOUD_PROJECT: newProject(),
        METADATA_SERVER_DETECTION: 'none',
      }),
    );
  }
  afterEach(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await line.close();
    await gate.close();
  });

  /** Asks until the answer is so; the test's own time limit ends it. */
  async function until(status: number): Promise<void> {
    while ((await readiness(service)) !== status) await new Promise((resolve) => setImmediate(resolve));
  }

  it('starts without its store, says 503 at /ready and to LINE in time, and serves by itself once it can', async () => {
    await start();
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await readiness(service)).toBe(503);
    const refused = await timed(postWebhook(service.url, wish('01J0000000000000000000000A')));
    expect(refused.value).toBe(503);
    expect(refused.milliseconds).toBeLessThan(WEBHOOK_MS);
    gate.set(true);
    // As LINE does, which delivers again what was not taken.
    while ((await postWebhook(service.url, wish('01J0000000000000000000000A'))) !== 200);
    await line.called(1);
    expect(JSON.stringify(line.seen)).toContain('同意記住');
  });

  it('lives through the loss of its store, and ends in order without it', async () => {
    gate.set(true);
    await start();
    await until(200);
    gate.set(false);
    await until(503);
    const refused = await timed(postWebhook(service.url, wish('01J0000000000000000000000B')));
    expect(refused.value).toBe(503);
    expect(refused.milliseconds).toBeLessThan(WEBHOOK_MS);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    service.child.kill('SIGTERM');
    const ended = await timed(service.ended);
    expect(ended.milliseconds).toBeLessThan(10_000);
    expect(service.child.exitCode).toBe(0);
  });
});
