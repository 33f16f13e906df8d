/**
 * The simulator answers to loopback names only.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSimulator } from '../../../src/adapters/simulator/simulator.ts';

const simulator = createSimulator({
  webhookUrl: () => 'http://127.0.0.1:9/line/webhook',
  channelSecret: 'secret-of-the-test',
  channelAccessToken: 'token-of-the-test',
  botUserId: `U${'b'.repeat(32)}`,
  clock: () => 0,
  randomBytes,
  ledgerEvents: async () => ({ ledgerId: 'A'.repeat(43), revision: 0, value: null, events: [] }),
});

it.each(['http://127.0.0.1:8080/', 'http://localhost:8080/', 'http://[::1]:8080/'])('%s is answered', async (url) => {
  expect((await simulator.routes.request(url)).status).toBe(200);
});

it.each(['/', '/app.js', '/stream?person=A', '/api/people'])('a name made to point here is not: %s', async (path) => {
  const headers = { origin: 'http://example.org:8080', 'content-type': 'application/json' };
  const init = path.startsWith('/api') ? { method: 'POST', headers, body: '{}' } : {};
  expect((await simulator.routes.request(`http://example.org:8080${path}`, init)).status).toBe(421);
});
