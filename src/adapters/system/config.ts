/**
 * The environment, read once: either a complete configuration or the list of all that is wrong with it.
 * @module
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import * as v from 'valibot';
import type { AuditToken } from '../../commands/access.ts';
import type { CardKeys } from '../../commands/card.ts';
import { AuditRole, ReaderName } from '../../events/access-kinds.ts';
import { TenantId } from '../../events/identity.ts';
import { type ModelRouteSetting, readModelRoute } from './model-route.ts';

/** Environment variables by name; an empty value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type Config = {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly tenantId: TenantId;
  readonly store:
    | { readonly kind: 'sqlite'; readonly path: string }
    | { readonly kind: 'firestore'; readonly projectId: string; readonly emulatorHost: string | null };
  readonly subjectKeySecret: KeyObject;
  readonly cardKeys: CardKeys;
  /** Whether this is an instance on Cloud Run, whose own disk is memory. */
  readonly onCloudRun: boolean;
  /** Where people reach this service, an origin without a path; null: not set. */
  readonly publicBaseUrl: string | null;
  /** Who answers for the processing, as records and receipts say it; null: not set. */
  readonly controller: {
    readonly name: string | null;
    readonly contact: string | null;
    readonly jurisdiction: string | null;
  };
  /** Who may audit; none: only the one-time link of a local start. */
  readonly auditTokens: readonly AuditToken[];
  /** Ed25519 seeds of checkpoints: the first signs, a second is retiring; none: one that follows from SUBJECT_KEY. */
  readonly checkpointSeeds: readonly Uint8Array[];
  /** Null: the chat simulator stands in for LINE. */
  readonly line: {
    readonly channelSecret: string;
    readonly channelAccessToken: string;
    readonly apiBaseUrl: string;
    readonly botUserId: string;
  } | null;
  /** Null: free text is understood by rules. */
  readonly model: ModelRouteSetting;
};

/** One thing that is wrong: the variable and what to do about it. Never holds the value. */
export type ConfigProblem = { readonly variable: string; readonly message: string };

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
/** The tenant of the simulator's people, so that they never meet a real channel's. */
const SIMULATOR_TENANT = v.parse(TenantId, 'simulator');
const KEY_BYTES_MIN = 32;
/** A key with fewer different bytes than this was typed, not generated. */
const KEY_DISTINCT_BYTES_MIN = 12;

/** All that reading a store needs: no key that signs cards, nothing of LINE. */
export type AuditConfig = Pick<Config, 'tenantId' | 'store' | 'subjectKeySecret' | 'checkpointSeeds'>;

/** Reads what an auditor's command line needs, and asks for nothing else. */
export function readAuditConfig(
  environment: Environment,
  localSecrets: { readonly SUBJECT_KEY: string } | null,
): { ok: true; config: AuditConfig } | { ok: false; problems: readonly ConfigProblem[] } {
  const { problems, wrong, read } = reading(environment);
  const production = read('NODE_ENV') === 'production';
  const host = read('HOST') ?? '127.0.0.1';
  const simulator = simulatorOn(read('SIMULATOR'), read('LINE_CHANNEL_ACCESS_TOKEN') !== null, production, host, wrong);
  const keyText = read('SUBJECT_KEY') ?? (production ? null : (localSecrets?.SUBJECT_KEY ?? null));
  const subjectKeySecret = keyText === null ? wrong('SUBJECT_KEY', 'is missing') : keyOf('SUBJECT_KEY', keyText, wrong);
  const tenantId = tenantOf(read('TENANT_ID'), simulator, production, wrong);
  const checkpointSeeds = checkpointSeedsOf(read('CHECKPOINT_KEYS'), wrong);
  const store = storeOf(read, environment, production, wrong);
  if (problems.length > 0 || subjectKeySecret === null || tenantId === null || store === null) {
    return { ok: false, problems };
  }
  return { ok: true, config: { tenantId, store, subjectKeySecret, checkpointSeeds } };
}

/** Reads the environment. `localSecrets` fill in what a local start makes for itself; production never sees them. */
export function readConfig(
  environment: Environment,
  localSecrets: { readonly SUBJECT_KEY: string; readonly CARD_KEYS: string } | null,
): { ok: true; config: Config } | { ok: false; problems: readonly ConfigProblem[] } {
  const { problems, wrong, read } = reading(environment);
  const production = read('NODE_ENV') === 'production';
  const port = portOf(read('PORT'), wrong);
  const host = read('HOST') ?? '127.0.0.1';
  const simulator = simulatorOn(read('SIMULATOR'), read('LINE_CHANNEL_ACCESS_TOKEN') !== null, production, host, wrong);
  const secret = (name: 'SUBJECT_KEY' | 'CARD_KEYS'): string | null => {
    const own = read(name);
    if (own !== null) return own;
    if (production || localSecrets === null) return wrong(name, 'is missing');
    return localSecrets[name];
  };
  const subjectKeyText = secret('SUBJECT_KEY');
  const subjectKeySecret = subjectKeyText === null ? null : keyOf('SUBJECT_KEY', subjectKeyText, wrong);
  const cardKeysText = secret('CARD_KEYS');
  const cardKeys = cardKeysText === null ? null : cardKeysOf(cardKeysText, wrong);
  const tenantId = tenantOf(read('TENANT_ID'), simulator, production, wrong);
  const line = simulator ? null : lineOf(read, wrong);
  const publicBaseUrl = publicBaseUrlOf(read('PUBLIC_BASE_URL'), production, wrong);
  const controller = controllerOf(read, wrong);
  const auditTokens = auditTokensOf(read('AUDIT_TOKENS'), wrong);
  const checkpointSeeds = checkpointSeedsOf(read('CHECKPOINT_KEYS'), wrong);
  const store = storeOf(read, environment, production, wrong);
  const model = readModelRoute(read, wrong, read('LEDGER_STORE') === 'firestore');
  const keys = subjectKeySecret === null || cardKeys === null ? null : { subjectKeySecret, cardKeys };
  if (problems.length > 0 || keys === null || tenantId === null || port === null || store === null) {
    return { ok: false, problems };
  }
  return {
    ok: true,
    config: {
      production,
      port,
      host,
      tenantId,
      store,
      onCloudRun: read('K_SERVICE') !== null,
      ...keys,
      publicBaseUrl,
      controller,
      auditTokens,
      checkpointSeeds,
      line,
      model,
    },
  };
}

/** Where the SQLite store is, or would be. */
export function storePathOf(environment: Environment): string {
  const path = environment['LEDGER_SQLITE_PATH'];
  return path === undefined || path === '' ? '.local/ledger.sqlite' : path;
}

type Wrong = (variable: string, message: string) => null;

/** One reading of the environment: an empty value is unset, and everything that is wrong is collected. */
function reading(environment: Environment) {
  const problems: ConfigProblem[] = [];
  const wrong: Wrong = (variable, message) => {
    problems.push({ variable, message });
    return null;
  };
  const read = (name: string): string | null => {
    const value = environment[name];
    return value === undefined || value === '' ? null : value;
  };
  return { problems, wrong, read };
}

function storeOf(
  read: (name: string) => string | null,
  environment: Environment,
  production: boolean,
  wrong: Wrong,
): Config['store'] | null {
  const kind = read('LEDGER_STORE') ?? 'sqlite';
  if (kind === 'sqlite') return { kind, path: storePathOf(environment) };
  if (kind !== 'firestore') return wrong('LEDGER_STORE', 'is neither sqlite nor firestore');
  const emulatorHost = read('FIRESTORE_EMULATOR_HOST');
  if (production && emulatorHost !== null) return wrong('FIRESTORE_EMULATOR_HOST', 'is set in production');
  if (emulatorHost !== null && !/^(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/.test(emulatorHost)) {
    return wrong('FIRESTORE_EMULATOR_HOST', 'is not a loopback host and port');
  }
  const projectId = read('GOOGLE_CLOUD_PROJECT') ?? (emulatorHost === null ? null : 'demo-local');
  if (projectId === null) return wrong('GOOGLE_CLOUD_PROJECT', 'is missing: LEDGER_STORE=firestore needs a project');
  if (!/^[a-z][a-z0-9-]{4,40}$/.test(projectId)) return wrong('GOOGLE_CLOUD_PROJECT', 'is not a project id');
  return { kind, projectId, emulatorHost };
}

function portOf(text: string | null, wrong: Wrong): number | null {
  if (text === null) return 8080;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port >= 0 && port <= 65_535 ? port : wrong('PORT', 'is not a port number from 0 to 65535');
}

function simulatorOn(said: string | null, hasToken: boolean, production: boolean, host: string, wrong: Wrong): boolean {
  if (said !== null && said !== 'on' && said !== 'off') {
    wrong('SIMULATOR', 'is neither on nor off');
    return false;
  }
  if (said === 'on' && production) wrong('SIMULATOR', 'is on with NODE_ENV=production');
  if (said === 'on' && hasToken) wrong('SIMULATOR', 'is on beside a real LINE_CHANNEL_ACCESS_TOKEN');
  if (said === 'on' && !LOOPBACK.has(host)) wrong('SIMULATOR', 'is on while HOST is not loopback');
  if (said !== null) return said === 'on';
  if (!production && !hasToken && !LOOPBACK.has(host)) {
    wrong('HOST', 'is an address others can reach: the simulator is for loopback only, and LINE is not configured');
  }
  return !production && !hasToken && LOOPBACK.has(host);
}

function publicBaseUrlOf(text: string | null, production: boolean, wrong: Wrong): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.origin !== text) {
    return wrong('PUBLIC_BASE_URL', 'is not an origin: scheme and host, no path and no slash at the end');
  }
  const loopback = url.protocol === 'http:' && LOOPBACK.has(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.protocol === 'https:' || (loopback && !production)) return text;
  return wrong('PUBLIC_BASE_URL', "is not https: a link to a person's own page would be readable on its way");
}

function controllerOf(read: (name: string) => string | null, wrong: Wrong): Config['controller'] {
  const said = (name: string): string | null => {
    const text = read(name);
    if (text === null || (text.length <= 200 && text.isWellFormed() && !/\p{Cc}/u.test(text))) return text;
    return wrong(name, 'is longer than 200 characters or holds control characters');
  };
  return {
    name: said('CONTROLLER_NAME'),
    contact: said('CONTROLLER_CONTACT'),
    jurisdiction: said('CONTROLLER_JURISDICTION'),
  };
}

function keyOf(variable: string, text: string, wrong: Wrong): KeyObject | null {
  const bytes = Buffer.from(text, 'base64');
  // Nothing is trimmed: a key that does not re-encode to the given text is not the key that was meant.
  if (bytes.toString('base64') !== text) return wrong(variable, 'is not exact base64 (no spaces, no line end)');
  if (bytes.length < KEY_BYTES_MIN) return wrong(variable, `is shorter than ${KEY_BYTES_MIN} bytes`);
  if (new Set(bytes).size < KEY_DISTINCT_BYTES_MIN) return wrong(variable, 'is weak: make it with a random generator');
  return createSecretKey(bytes);
}

function cardKeysOf(text: string, wrong: Wrong): CardKeys | null {
  const keys: { keyId: string; key: KeyObject }[] = [];
  for (const part of text.split(',')) {
    const [, keyId, keyText] = /^([a-z0-9]{1,8}):(.+)$/.exec(part) ?? [];
    if (keyId === undefined || keyText === undefined) {
      return wrong('CARD_KEYS', 'is not a list of <key id>:<base64>, key ids of 1 to 8 lower case letters and digits');
    }
    if (keys.some((known) => known.keyId === keyId)) return wrong('CARD_KEYS', `names ${keyId} twice`);
    const key = keyOf('CARD_KEYS', keyText, wrong);
    if (key === null) return null;
    keys.push({ keyId, key });
  }
  return keys;
}

function checkpointSeedsOf(text: string | null, wrong: Wrong): readonly Uint8Array[] {
  const seeds = (text?.split(',') ?? []).map((part) => keyOf('CHECKPOINT_KEYS', part, wrong)?.export() ?? null);
  if (seeds.length > 2) wrong('CHECKPOINT_KEYS', 'names more than the signing and the retiring key');
  if (seeds.some((seed) => seed !== null && seed.length !== 32)) wrong('CHECKPOINT_KEYS', 'is not 32 bytes each');
  return seeds.filter((seed) => seed !== null);
}

function auditTokensOf(text: string | null, wrong: Wrong): readonly AuditToken[] {
  const tokens: AuditToken[] = [];
  for (const part of text?.split(',') ?? []) {
    const [name, role, digest, ...rest] = part.split(':');
    const read = { name: v.safeParse(ReaderName, name), role: v.safeParse(AuditRole, role) };
    const isDigest = digest !== undefined && /^[0-9a-f]{64}$/.test(digest) && rest.length === 0;
    if (!read.name.success || !read.role.success || !isDigest) {
      wrong('AUDIT_TOKENS', 'is not a list of <name>:<integrity|content>:<SHA-256 of the token, 64 hex digits>');
      return [];
    }
    if (tokens.some((known) => known.name === name)) wrong('AUDIT_TOKENS', `names ${read.name.output} twice`);
    tokens.push({ name: read.name.output, role: read.role.output, sha256: Buffer.from(digest, 'hex') });
  }
  return tokens;
}

function tenantOf(said: string | null, simulator: boolean, production: boolean, wrong: Wrong): TenantId | null {
  if (simulator) return SIMULATOR_TENANT;
  if (said === null && production) return wrong('TENANT_ID', 'is missing');
  const tenant = v.safeParse(TenantId, said ?? 'local');
  if (!tenant.success) return wrong('TENANT_ID', 'is not 1 to 40 lower case letters, digits and hyphens');
  if (tenant.output === SIMULATOR_TENANT) return wrong('TENANT_ID', "is kept for the simulator's people");
  return tenant.output;
}

function lineOf(read: (name: string) => string | null, wrong: Wrong): Config['line'] {
  const channelSecret = read('LINE_CHANNEL_SECRET');
  const channelAccessToken = read('LINE_CHANNEL_ACCESS_TOKEN');
  const botUserId = read('LINE_BOT_USER_ID');
  const apiBaseUrl = read('LINE_API_BASE_URL') ?? 'https://api.line.me';
  if (channelSecret === null) wrong('LINE_CHANNEL_SECRET', 'is missing: anyone could sign');
  else if (!/^[\x21-\x7e]{16,}$/.test(channelSecret))
    wrong('LINE_CHANNEL_SECRET', 'is shorter than 16 visible characters');
  if (channelAccessToken === null) wrong('LINE_CHANNEL_ACCESS_TOKEN', 'is missing');
  if (botUserId === null) wrong('LINE_BOT_USER_ID', 'is missing: deliveries for another bot could not be told apart');
  else if (!/^U[0-9a-f]{32}$/.test(botUserId)) wrong('LINE_BOT_USER_ID', 'is not U and 32 hex digits');
  const api = URL.parse(apiBaseUrl);
  if (api === null) wrong('LINE_API_BASE_URL', 'is not a URL');
  else if (api.protocol !== 'https:' && !(api.protocol === 'http:' && LOOPBACK.has(api.hostname))) {
    wrong('LINE_API_BASE_URL', 'is neither https nor on loopback: the access token would be readable on its way');
  } else if (api.origin !== apiBaseUrl.replace(/\/$/, '')) {
    wrong('LINE_API_BASE_URL', 'has a path: the SDK keeps only the origin');
  }
  if (channelSecret === null || channelAccessToken === null || botUserId === null) return null;
  return { channelSecret, channelAccessToken, apiBaseUrl, botUserId };
}
