/**
 * The environment: complete, or a list of all that is wrong, never with a value in it.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Environment, readConfig } from '../../../src/adapters/system/config.ts';

const key = (bytes = 32) => randomBytes(bytes).toString('base64');
const secrets = { SUBJECT_KEY: key(), CARD_KEYS: `k1:${key()}` };
const line = {
  LINE_CHANNEL_SECRET: '0123456789abcdef0123456789abcdef',
  LINE_CHANNEL_ACCESS_TOKEN: 'token-of-the-channel',
  LINE_BOT_USER_ID: `U${'0a'.repeat(16)}`,
};
const production: Environment = {
  NODE_ENV: 'production',
  TENANT_ID: 'town',
  SUBJECT_KEY: key(),
  CARD_KEYS: `k1:${key()}`,
  ...line,
};

function problems(environment: Environment, local: typeof secrets | null = secrets): string[] {
  const read = readConfig(environment, local);
  return read.ok ? [] : read.problems.map(({ variable }) => variable);
}

describe('the public address and the controller', () => {
  it('are unset unless said', () => {
    const read = readConfig({}, secrets);
    const controller = { name: null, contact: null, jurisdiction: null };
    expect(read).toMatchObject({ ok: true, config: { publicBaseUrl: null, controller } });
  });

  it('are taken as said', () => {
    const said = { PUBLIC_BASE_URL: 'https://town.example', CONTROLLER_NAME: '甲單位', CONTROLLER_JURISDICTION: 'TW' };
    expect(readConfig({ ...production, ...said }, null)).toMatchObject({
      ok: true,
      config: {
        publicBaseUrl: 'https://town.example',
        controller: { name: '甲單位', contact: null, jurisdiction: 'TW' },
      },
    });
    expect(problems({ PUBLIC_BASE_URL: 'http://127.0.0.1:8080' })).toEqual([]);
  });

  it.each([
    'http://town.example',
    'https://town.example/',
    'https://town.example/path',
    'https://name:secret@town.example',
    'ftp://town.example',
    'town.example',
  ])('%s is no public address', (url) => {
    expect(problems({ PUBLIC_BASE_URL: url })).toEqual(['PUBLIC_BASE_URL']);
  });

  it('in production is not this machine', () => {
    expect(problems({ ...production, PUBLIC_BASE_URL: 'http://127.0.0.1:8080' }, null)).toEqual(['PUBLIC_BASE_URL']);
  });

  it('refuses a controller that is not one short line', () => {
    expect(problems({ CONTROLLER_NAME: 'a\nb', CONTROLLER_CONTACT: 'x'.repeat(201) })).toEqual([
      'CONTROLLER_NAME',
      'CONTROLLER_CONTACT',
    ]);
  });
});

describe('a local start', () => {
  it('needs nothing: port 8080 on loopback, SQLite under .local, the simulator, its own tenant', () => {
    const read = readConfig({}, secrets);
    expect(read).toMatchObject({
      ok: true,
      config: {
        port: 8080,
        host: '127.0.0.1',
        tenantId: 'simulator',
        line: null,
        store: { path: '.local/ledger.sqlite' },
      },
    });
  });

  it('treats an empty value as unset', () => {
    expect(problems({ PORT: '', SIMULATOR: '', LINE_CHANNEL_ACCESS_TOKEN: '', TENANT_ID: '' })).toEqual([]);
  });

  it('has no simulator once a LINE token is there, and then asks for what LINE needs', () => {
    expect(problems({ LINE_CHANNEL_ACCESS_TOKEN: 'token-of-the-channel' })).toEqual([
      'LINE_CHANNEL_SECRET',
      'LINE_BOT_USER_ID',
    ]);
    expect(readConfig(line, secrets)).toMatchObject({ ok: true, config: { tenantId: 'local' } });
  });

  it('has no simulator on an address others can reach', () => {
    expect(problems({ HOST: '0.0.0.0' })).toEqual(expect.arrayContaining(['HOST', 'LINE_CHANNEL_SECRET']));
  });
});

describe('production', () => {
  it('starts with everything given', () => {
    expect(readConfig(production, null)).toMatchObject({ ok: true, config: { production: true, tenantId: 'town' } });
  });

  it('lists all that is missing at once and does not fall back on local secrets', () => {
    expect(problems({ NODE_ENV: 'production' })).toEqual([
      'SUBJECT_KEY',
      'CARD_KEYS',
      'TENANT_ID',
      'LINE_CHANNEL_SECRET',
      'LINE_CHANNEL_ACCESS_TOKEN',
      'LINE_BOT_USER_ID',
    ]);
  });

  const bad: readonly (readonly [string, Environment, string])[] = [
    ['a port that is no port', { PORT: '80800' }, 'PORT'],
    ['a port with words', { PORT: '8080 ' }, 'PORT'],
    ['a simulator in production', { SIMULATOR: 'on' }, 'SIMULATOR'],
    ['a simulator that is neither on nor off', { SIMULATOR: 'yes' }, 'SIMULATOR'],
    ['a subject key of 31 bytes', { SUBJECT_KEY: key(31) }, 'SUBJECT_KEY'],
    ['a subject key with a line end', { SUBJECT_KEY: `${key()}\n` }, 'SUBJECT_KEY'],
    ['a subject key that was typed', { SUBJECT_KEY: Buffer.alloc(32, 'a').toString('base64') }, 'SUBJECT_KEY'],
    [
      'a subject key that is not base64',
      { SUBJECT_KEY: 'not base64 at all, but long enough to be one' },
      'SUBJECT_KEY',
    ],
    ['a card key without id', { CARD_KEYS: key() }, 'CARD_KEYS'],
    ['two card keys of one id', { CARD_KEYS: `k1:${key()},k1:${key()}` }, 'CARD_KEYS'],
    ['a short second card key', { CARD_KEYS: `k2:${key()},k1:${key(16)}` }, 'CARD_KEYS'],
    ['a tenant with capitals', { TENANT_ID: 'Town' }, 'TENANT_ID'],
    ["the simulator's tenant", { TENANT_ID: 'simulator' }, 'TENANT_ID'],
    ['a short channel secret', { LINE_CHANNEL_SECRET: 'short' }, 'LINE_CHANNEL_SECRET'],
    ['an API address with a path', { LINE_API_BASE_URL: 'http://127.0.0.1:9/line' }, 'LINE_API_BASE_URL'],
    ['an API address without https', { LINE_API_BASE_URL: 'http://example.org' }, 'LINE_API_BASE_URL'],
    ['an API address of another protocol', { LINE_API_BASE_URL: 'ftp://127.0.0.1' }, 'LINE_API_BASE_URL'],
    ['a bot id that is none', { LINE_BOT_USER_ID: 'Ubot' }, 'LINE_BOT_USER_ID'],
    ['a store nobody knows', { LEDGER_STORE: 'memory' }, 'LEDGER_STORE'],
  ];
  it.each(bad)('refuses %s and names the variable', (_title, change, variable) => {
    expect(problems({ ...production, ...change })).toContain(variable);
  });

  it('never repeats a value in a message', () => {
    const read = readConfig(
      { ...production, SUBJECT_KEY: 'c2VjcmV0', LINE_CHANNEL_SECRET: 'hunter2', CARD_KEYS: 'k1:c2VjcmV0' },
      null,
    );
    expect(JSON.stringify(read)).not.toMatch(/c2VjcmV0|hunter2/);
  });
});

it('reads card keys in order: the first signs, all verify', () => {
  const read = readConfig({ ...production, CARD_KEYS: `k2:${key()},k1:${key()}` }, null);
  expect(read.ok && read.config.cardKeys.map(({ keyId }) => keyId)).toEqual(['k2', 'k1']);
});

describe('the model', () => {
  it('is none by default, and one that is half set stops the start by name', () => {
    expect(readConfig({}, secrets)).toMatchObject({ ok: true, config: { model: null } });
    expect(readConfig({ GEMINI_API_KEY: 'key-a' }, secrets)).toMatchObject({
      ok: true,
      config: { model: { backend: 'developer', model: 'gemini-3.8-flash' } },
    });
    expect(readConfig({ GEMINI_API_KEY: 'key-a', GOOGLE_CLOUD_LOCATION: 'global' }, secrets)).toMatchObject({
      ok: false,
      problems: [{ variable: 'GOOGLE_CLOUD_LOCATION', message: expect.stringMatching(/^DEVELOPER_CONFIG_CONFLICT: /) }],
    });
  });
});

describe('Firestore', () => {
  const emulator = { LEDGER_STORE: 'firestore', FIRESTORE_EMULATOR_HOST: '127.0.0.1:8081' };
  const real = { ...production, LEDGER_STORE: 'firestore', GOOGLE_CLOUD_PROJECT: 'town-ledger' };

  it('is taken with a project, or with an emulator on this machine', () => {
    const local = { kind: 'firestore', projectId: 'demo-local', emulatorHost: '127.0.0.1:8081' };
    expect(readConfig(emulator, secrets)).toMatchObject({ ok: true, config: { store: local } });
    const there = { kind: 'firestore', projectId: 'town-ledger', emulatorHost: null };
    expect(readConfig(real, null)).toMatchObject({ ok: true, config: { store: there } });
  });

  it('is not asked about while SQLite is the store', () => {
    expect(readConfig({ FIRESTORE_EMULATOR_HOST: 'elsewhere' }, secrets)).toMatchObject({
      ok: true,
      config: { store: { kind: 'sqlite' }, onCloudRun: false },
    });
  });

  const wrong: readonly (readonly [string, Environment, string])[] = [
    ['no project', { LEDGER_STORE: 'firestore' }, 'GOOGLE_CLOUD_PROJECT'],
    ['no project id', { LEDGER_STORE: 'firestore', GOOGLE_CLOUD_PROJECT: 'Town Ledger' }, 'GOOGLE_CLOUD_PROJECT'],
    ['an emulator elsewhere', { ...emulator, FIRESTORE_EMULATOR_HOST: 'town.example:8081' }, 'FIRESTORE_EMULATOR_HOST'],
    ['an emulator without a port', { ...emulator, FIRESTORE_EMULATOR_HOST: 'localhost' }, 'FIRESTORE_EMULATOR_HOST'],
  ];
  it.each(wrong)('%s is refused', (_title, environment, variable) => {
    expect(problems(environment)).toEqual([variable]);
  });

  it('in production is no emulator', () => {
    const environment = { ...real, FIRESTORE_EMULATOR_HOST: '127.0.0.1:8081' };
    expect(problems(environment, null)).toEqual(['FIRESTORE_EMULATOR_HOST']);
  });
});
