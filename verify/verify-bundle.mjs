#!/usr/bin/env node
/**
 * Judges exported bundles without the service that wrote them: one file, no dependencies, Node 20 or later.
 *
 *   node verify-bundle.mjs <bundle folder>… --key <public key file> [--seen <older checkpoint file>] [--all]
 *
 * The rules are those of docs/bundle-format.md. JSON on stdout. Exit: 0 good, 1 not as it should be, 2 wrong use, 3 nothing to judge.
 * @module
 */
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify as verifySignature } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const FORMAT_VERSION = 1;
const SCHEMA_VERSION = 1;
const FILES = ['events.ndjson', 'checkpoint.txt', 'proofs.json'];
const CONTENT_FILE = 'content.ndjson';
const LINE_BYTES_MAX = 65_536;
const DEPTH_MAX = 32;
const CLOSED_KEPT = 16;
const NUMBER_MAX = 1_000_000_000;

// ---- Bytes and JSON -------------------------------------------------------------------------------------------------

const sha256 = (...parts) => parts.reduce((so, part) => so.update(part), createHash('sha256')).digest();
const sha256Hex = (bytes) => sha256(bytes).toString('hex');
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value, form) => typeof value === 'string' && form.test(value);
const isInteger = (value, min, max = NUMBER_MAX) => Number.isSafeInteger(value) && value >= min && value <= max;
const hasExactly = (value, members) => {
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  return keys.length === members.length && members.every((member) => Object.hasOwn(value, member));
};

/** RFC 8785 for integers, strings, booleans and null; undefined for anything else. */
export function canonical(value) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : undefined;
  const parts = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      const part = canonical(item);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return `[${parts.join(',')}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const part = canonical(value[key]);
    if (part === undefined || !key.isWellFormed()) return undefined;
    parts.push(`${JSON.stringify(key)}:${part}`);
  }
  return `{${parts.join(',')}}`;
}

function tooDeep(text) {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > DEPTH_MAX) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

/** The value of strict UTF-8 JSON without a byte order mark, or undefined. */
function parseJson(bytes) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return tooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a file that is exactly one canonical JSON text and a newline, or undefined. */
function parseCanonicalFile(bytes) {
  const value = parseJson(bytes);
  if (value === undefined) return undefined;
  const text = canonical(value);
  return text !== undefined && Buffer.from(`${text}\n`).equals(bytes) ? value : undefined;
}

// ---- Merkle tree (RFC 6962, RFC 9162 §2.1.3 and §2.1.4) --------------------------------------------------------------

const HEX = /^[0-9a-f]{64}$/;
const leafHash = (leaf) => sha256(Buffer.of(0), canonical(leaf));
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);
const isPath = (path) => Array.isArray(path) && path.length <= 64 && path.every((node) => isText(node, HEX));
const bytesOf = (path) => path.map((node) => Buffer.from(node, 'hex'));
const half = (number) => Math.floor(number / 2);

export function includes(leaf, index, size, root, path) {
  if (!isPath(path) || !isInteger(index, 0, Number.MAX_SAFE_INTEGER) || index >= size) return false;
  let node = index;
  let last = size - 1;
  let so = leaf;
  for (const sibling of bytesOf(path)) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      so = nodeHash(sibling, so);
      while (node % 2 === 0 && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else so = nodeHash(so, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 && so.equals(root);
}

export function extendsTree(old, now, path) {
  if (!isPath(path) || old.size < 1 || old.size > now.size) return false;
  if (old.size === now.size) return path.length === 0 && old.root.equals(now.root);
  let node = old.size - 1;
  let last = now.size - 1;
  while (node % 2 === 1) {
    node = half(node);
    last = half(last);
  }
  // What is left is 0 exactly when the old size is a power of two: then the old root itself begins the path.
  const [first, ...rest] = node === 0 ? [old.root, ...bytesOf(path)] : bytesOf(path);
  if (first === undefined) return false;
  let oldRoot = first;
  let newRoot = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldRoot = nodeHash(sibling, oldRoot);
      newRoot = nodeHash(sibling, newRoot);
      while (node % 2 === 0 && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else newRoot = nodeHash(newRoot, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 && oldRoot.equals(old.root) && newRoot.equals(now.root);
}

// ---- Keys and notes (C2SP signed-note, tlog-checkpoint) --------------------------------------------------------------

const NAME = /^[\x21-\x2a\x2c-\x7e]{1,100}$/;
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function fromBase64(text) {
  if (!isText(text, /^[A-Za-z0-9+/]+={0,2}$/)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** A public key from its one spelling `<name>+<key id>+<base64>`, or undefined. */
export function readKey(text) {
  const [name, keyId, ...encoded] = typeof text === 'string' ? text.split('+') : [];
  const typed = fromBase64(encoded.join('+'));
  if (!isText(name, NAME) || typed === undefined || typed.length !== 33 || typed[0] !== 1) return undefined;
  if (sha256(`${name}\n`, typed).subarray(0, 4).toString('hex') !== keyId) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, typed.subarray(1)]), format: 'der', type: 'spki' });
    return { name, keyId, key, text };
  } catch {
    return undefined;
  }
}

export function readNote(bytes) {
  let note;
  try {
    note = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const end = note.lastIndexOf('\n\n');
  if (note.length > 4_096 || !note.endsWith('\n') || end === -1) return undefined;
  const signed = note.slice(0, end + 1);
  const [origin, size, root, rest, ...more] = signed.split('\n');
  const rootBytes = fromBase64(root);
  if (!isText(origin, NAME) || !isText(size, /^(0|[1-9][0-9]{0,14})$/) || rest !== '' || more.length > 0)
    return undefined;
  if (rootBytes?.length !== 32) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > 16) return undefined;
  const signatures = [];
  for (const line of lines) {
    const [dash, name, encoded, ...others] = line.split(' ');
    const held = fromBase64(encoded);
    if (dash !== '—' || !isText(name, NAME) || held === undefined || held.length <= 4 || others.length > 0)
      return undefined;
    signatures.push({ name, keyId: held.subarray(0, 4).toString('hex'), signature: held.subarray(4) });
  }
  return { origin, size: Number(size), root: rootBytes, signed, signatures };
}

function isSignedBy(note, key) {
  if (note.origin !== key.name) return false;
  const ours = note.signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  return (
    ours.length > 0 &&
    ours.every(
      ({ signature }) => signature.length === 64 && verifySignature(null, Buffer.from(note.signed), key.key, signature),
    )
  );
}

// ---- Leaves and proofs -----------------------------------------------------------------------------------------------

const LEDGER_ID = /^[A-Za-z0-9_-]{43}$/;
const NOTICE_VERSION = /^[a-z_]{1,60}\/[0-9]{1,6}$/;
const LEAVES = {
  'head/1': (leaf) =>
    hasExactly(leaf, ['type', 'ledgerId', 'position', 'hash']) &&
    isText(leaf.ledgerId, LEDGER_ID) &&
    isInteger(leaf.position, 1) &&
    isText(leaf.hash, HEX),
  'heads/1': (leaf) =>
    hasExactly(leaf, ['type', 'root', 'ledgers', 'key']) &&
    isText(leaf.root, HEX) &&
    isInteger(leaf.ledgers, 0, Number.MAX_SAFE_INTEGER) &&
    typeof leaf.key === 'string',
  'key/1': (leaf) =>
    hasExactly(leaf, ['type', 'oldKey', 'newKey', 'signature']) &&
    typeof leaf.oldKey === 'string' &&
    typeof leaf.newKey === 'string' &&
    typeof leaf.signature === 'string',
  'notice/1': (leaf) =>
    hasExactly(leaf, ['type', 'version', 'language', 'hash']) &&
    isText(leaf.version, NOTICE_VERSION) &&
    typeof leaf.language === 'string' &&
    isText(leaf.hash, HEX),
};

const isLeaf = (leaf, type) => isRecord(leaf) && leaf.type === type && LEAVES[type](leaf);
/** Whether {index, leaf, path} shows a leaf of a type in a tree. */
const isProven = (proof, type, size, root) =>
  hasExactly(proof, ['index', 'leaf', 'path']) &&
  isLeaf(proof.leaf, type) &&
  includes(leafHash(proof.leaf), proof.index, size, root, proof.path);

/** Follows changes of key: each must be signed by a key already trusted, and recorded in the log. */
function trustedKeys(key, changes, note) {
  const trusted = new Map([[key.text, key]]);
  for (const change of changes) {
    if (!isProven(change, 'key/1', note.size, note.root)) return undefined;
    const { type, oldKey, newKey, signature } = change.leaf;
    const old = trusted.get(oldKey);
    const next = readKey(newKey);
    const signatureBytes = fromBase64(signature);
    if (old === undefined || next === undefined || next.name !== key.name || signatureBytes?.length !== 64) continue;
    if (verifySignature(null, Buffer.from(canonical({ type, oldKey, newKey })), old.key, signatureBytes))
      trusted.set(newKey, next);
  }
  return trusted;
}

/**
 * What a checkpoint and its proofs show, or the cause why they show nothing.
 * @returns {{cause: string} | {note: object, heads: object, proofs: object, notices: Map<string, string>}}
 */
function judgeLog(checkpointBytes, proofs, key) {
  if (checkpointBytes.length === 0) return { cause: 'checkpoint_missing' };
  const note = readNote(checkpointBytes);
  if (note === undefined) return { cause: 'checkpoint_unreadable' };
  if (proofs === undefined || !isProofs(proofs)) return { cause: 'proofs_unreadable' };
  if (note.origin !== key.name) return { cause: 'other_log' };
  if (proofs.size !== note.size) return { cause: 'proofs_of_other_size' };
  const { heads } = proofs;
  if (!isProven(heads, 'heads/1', note.size, note.root) || heads.index !== note.size - 1)
    return { cause: 'heads_not_proven' };
  const trusted = trustedKeys(key, proofs.keys, note);
  if (trusted === undefined) return { cause: 'key_change_not_proven' };
  const signer = trusted.get(heads.leaf.key);
  if (signer === undefined || !isSignedBy(note, signer)) return { cause: 'signature_not_trusted' };
  const notices = new Map();
  for (const notice of proofs.notices) {
    if (!isProven(notice, 'notice/1', note.size, note.root)) return { cause: 'notice_not_proven' };
    notices.set(`${notice.leaf.version} ${notice.leaf.language}`, notice.leaf.hash);
  }
  // The first of a ledger counts.
  const byLedger = new Map(proofs.ledgers.toReversed().map((proof) => [proof.ledgerId, proof]));
  return { note, heads: heads.leaf, proofs, notices, byLedger };
}

function isProofs(proofs) {
  return (
    hasExactly(proofs, ['formatVersion', 'size', 'heads', 'ledgers', 'keys', 'notices', 'consistency']) &&
    proofs.formatVersion === FORMAT_VERSION &&
    isInteger(proofs.size, 1, Number.MAX_SAFE_INTEGER) &&
    [proofs.ledgers, proofs.keys, proofs.notices, proofs.consistency].every(Array.isArray) &&
    proofs.ledgers.every(isRecord)
  );
}

/** What is witnessed of a ledger: hashes by position and the newest position (0: none), or undefined for a bad proof. */
function witnessOf(ledgerId, log) {
  const proof = log.byLedger.get(ledgerId);
  const headsRoot = Buffer.from(log.heads.root, 'hex');
  const count = log.heads.ledgers;
  if (hasExactly(proof, ['ledgerId', 'absent']))
    return isAbsent(ledgerId, proof.absent, count, headsRoot) ? { position: 0, hashes: new Map() } : undefined;
  if (!hasExactly(proof, ['ledgerId', 'newest', 'witnessed']) || !Array.isArray(proof.witnessed)) return undefined;
  if (!isProven(proof.newest, 'head/1', count, headsRoot) || proof.newest.leaf.ledgerId !== ledgerId) return undefined;
  const hashes = new Map();
  let position = 0;
  for (const each of proof.witnessed) {
    if (!isProven(each, 'head/1', log.note.size, log.note.root) || each.leaf.ledgerId !== ledgerId) return undefined;
    if (each.leaf.position < position) return undefined;
    position = each.leaf.position;
    if (hashes.has(position) && hashes.get(position) !== each.leaf.hash) return undefined;
    hashes.set(position, each.leaf.hash);
  }
  const { leaf } = proof.newest;
  return position === leaf.position && hashes.get(position) === leaf.hash ? { position, hashes } : undefined;
}

/** Heads stand in order of ledgerId, so two neighbours show that nothing stands between them. */
function isAbsent(ledgerId, absent, count, root) {
  if (!hasExactly(absent, ['before', 'after'])) return false;
  const { before, after } = absent;
  if (before !== null && !(isProven(before, 'head/1', count, root) && before.leaf.ledgerId < ledgerId)) return false;
  if (after !== null && !(isProven(after, 'head/1', count, root) && after.leaf.ledgerId > ledgerId)) return false;
  return (before === null ? 0 : before.index + 1) === (after === null ? count : after.index);
}

/** Compares with a checkpoint the auditor kept. */
function judgeSeen(seen, log, key) {
  if (seen.origin !== key.name) return 'seen_other_log';
  if (seen.size > log.note.size) return 'checkpoint_rolled_back';
  if (seen.size === log.note.size) return seen.root.equals(log.note.root) ? undefined : 'checkpoint_forked';
  if (seen.size === 0) return undefined;
  const proof = log.proofs.consistency.find((each) => hasExactly(each, ['size', 'path']) && each.size === seen.size);
  if (proof === undefined) return 'consistency_missing';
  return extendsTree(seen, log.note, proof.path) ? undefined : 'consistency_not_proven';
}

// ---- Events ----------------------------------------------------------------------------------------------------------

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const IDENTIFIER = /^[\x21\x23-\x5b\x5d-\x7e]{1,40}$/;
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/;
const REFUSALS = ['expired', 'superseded', 'cancelled', 'forgotten', 'corrected', 'revision_moved'];
const ENVELOPE =
  'specversion id source type subject time datacontenttype data position previoushash schemaversion actor actorrole causationid correlationid'.split(
    ' ',
  );

const isTime = (text) => {
  if (!isText(text, TIME)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
};
const isEnvelope = (event) =>
  hasExactly(event, ENVELOPE) &&
  event.specversion === '1.0' &&
  isText(event.id, UUID) &&
  isText(event.source, /^\/ledgers\/[A-Za-z0-9_-]{43}$/) &&
  typeof event.type === 'string' &&
  isText(event.subject, LEDGER_ID) &&
  isTime(event.time) &&
  event.datacontenttype === 'application/json' &&
  isRecord(event.data) &&
  isInteger(event.position, 1) &&
  isText(event.previoushash, HEX) &&
  isText(event.actor, /^[\x21-\x7e]{1,80}$/) &&
  ['subject', 'operator', 'service'].includes(event.actorrole) &&
  isText(event.causationid, IDENTIFIER) &&
  isText(event.correlationid, IDENTIFIER);

const isOneOf =
  (...words) =>
  (value) =>
    words.includes(value);
const isRevision = (value) => isInteger(value, 0);
const isProposalId = (value) => isText(value, UUID);
const isCommitment = (value) => isText(value, HEX);
const isBody = (data, members) =>
  hasExactly(data, Object.keys(members)) && Object.entries(members).every(([member, is]) => is(data[member]));
const proposal = {
  proposalId: isProposalId,
  noticeVersion: (value) => isText(value, NOTICE_VERSION),
  language: isOneOf('zh-TW'),
  validitySeconds: (value) => isInteger(value, 1, 86_400),
  baseRevision: isRevision,
  collectionMethod: isOneOf('message', 'button', 'api'),
};
const decision = {
  proposalId: isProposalId,
  revision: isRevision,
  commitment: isCommitment,
  method: isOneOf('card', 'api'),
};
const PREFERENCE_BODIES = {
  'preference.proposed': (data) =>
    isBody(data, { ...proposal, operation: isOneOf('save', 'correct'), commitment: isCommitment }) ||
    isBody(data, { ...proposal, operation: isOneOf('forget') }),
  'preference.approved': (data) => isBody(data, decision),
  'preference.corrected': (data) => isBody(data, { ...decision, correctsRevision: isRevision }),
  'preference.cancelled': (data) =>
    isBody(data, { proposalId: isProposalId, method: isOneOf('card', 'unsend', 'message', 'api') }),
  'preference.forgotten': (data) =>
    isBody(data, {
      revision: isRevision,
      forgetsRevision: (value) => value === null || isRevision(value),
      method: isOneOf('fixed_entry', 'card', 'api'),
      erasureScope: isOneOf('purpose', 'all'),
    }),
  'card.refused': (data) =>
    isBody(data, {
      proposalId: isProposalId,
      reason: isOneOf(...REFUSALS),
      presentedRevision: isRevision,
      headRevision: isRevision,
    }),
};
const ROUTES = ['overview', 'ledgers', 'ledger', 'history', 'replay', 'verify', 'verify_all', 'download'];
const isReadBound = (bound) =>
  isBody(bound, { kind: isOneOf('all') }) ||
  isBody(bound, { kind: isOneOf('through_revision'), revision: isRevision }) ||
  isBody(bound, { kind: isOneOf('through_position'), position: isRevision }) ||
  isBody(bound, { kind: isOneOf('at'), time: isTime });
const ACCESS_BODIES = {
  'access.read': (data) =>
    isBody(data, {
      reader: (value) => isText(value, /^[a-z0-9][a-z0-9-]{0,39}$/),
      role: isOneOf('integrity', 'content'),
      channel: isOneOf('console', 'api'),
      route: isOneOf(...ROUTES),
      ledgerId: (value) => value === null || isText(value, LEDGER_ID),
      bound: isReadBound,
    }),
};

/** Reads one line: the event and its hash, or the cause why not. */
function readLine(line, bodies) {
  if (line.length > LINE_BYTES_MAX) return { cause: 'not_json' };
  const value = parseJson(line);
  if (value === undefined) return { cause: 'not_json' };
  if (!isRecord(value) || !isText(value.hash, HEX)) return { cause: 'not_an_event' };
  const text = canonical(value);
  if (text === undefined || !Buffer.from(text).equals(line)) return { cause: 'not_canonical' };
  const { hash, ...event } = value;
  if (sha256Hex(canonical(event)) !== hash) return { cause: 'hash_differs' };
  if (!isInteger(event.schemaversion, 1, Number.MAX_SAFE_INTEGER)) return { cause: 'not_an_event' };
  if (event.schemaversion > SCHEMA_VERSION) return { cause: 'newer_schema' };
  if (!isEnvelope(event)) return { cause: 'not_an_event' };
  if (!Object.hasOwn(bodies, event.type) || !bodies[event.type](event.data)) return { cause: 'not_an_event' };
  return { event, hash };
}

// ---- The fold and what may follow it ---------------------------------------------------------------------------------

const NOTHING = { proposalId: null, causationId: null, commitment: null, eventId: null, refusals: [] };
const initialState = { present: { revision: 0, ...NOTHING }, open: null, closed: [] };

function illegality({ present, open }, { type, data, time }, previousTime) {
  if (previousTime !== null && time < previousTime) return 'time_goes_back';
  const inForce = present.commitment !== null;
  const expired = open !== null && Date.parse(time) >= open.expiresAt;
  switch (type) {
    case 'preference.proposed':
      if (data.baseRevision !== present.revision) return 'base_revision_differs';
      if (data.operation === 'save' && inForce) return 'operation_does_not_fit';
      if (data.operation === 'correct' && !inForce) return 'operation_does_not_fit';
      return data.operation === 'forget' && !inForce && open === null ? 'operation_does_not_fit' : null;
    case 'preference.approved':
    case 'preference.corrected':
      if (open?.proposalId !== data.proposalId) return 'proposal_is_not_open';
      if (expired) return 'proposal_was_expired';
      if (data.revision !== present.revision + 1) return 'revision_is_not_next';
      if (open.commitment !== data.commitment) return 'commitment_differs';
      if ((type === 'preference.corrected') !== inForce) return 'operation_does_not_fit';
      return inForce && data.correctsRevision !== present.revision ? 'revision_is_not_next' : null;
    case 'preference.cancelled':
      return open?.proposalId === data.proposalId ? null : 'proposal_is_not_open';
    case 'preference.forgotten':
      if (data.revision !== present.revision + 1) return 'revision_is_not_next';
      if (data.forgetsRevision !== (inForce ? present.revision : null)) return 'revision_is_not_next';
      if (!inForce && open === null) return 'nothing_to_forget';
      if (data.method !== 'card') return null;
      if (open?.operation !== 'forget') return 'proposal_is_not_open';
      return expired ? 'proposal_was_expired' : null;
    default:
      if (data.headRevision !== present.revision) return 'base_revision_differs';
      if (present.proposalId === data.proposalId) return 'refused_what_was_open';
      if (open?.proposalId !== data.proposalId) return null;
      return data.reason === 'expired' && expired ? null : 'refused_what_was_open';
  }
}

function ended(held, how, revision) {
  if (held === null || held.proposalId === null) return [];
  const { proposalId, causationId, refusals } = held;
  return [{ proposalId, causationId, ended: how, revision, refusals }];
}

function evolve(state, event, eventHash) {
  const { present, open } = state;
  const { type, data } = event;
  const close = (...more) => [...state.closed, ...more.flat()].slice(-CLOSED_KEPT);
  switch (type) {
    case 'preference.proposed': {
      const next = {
        proposalId: data.proposalId,
        eventHash,
        operation: data.operation,
        commitment: data.operation === 'forget' ? null : data.commitment,
        baseRevision: data.baseRevision,
        expiresAt: Date.parse(event.time) + data.validitySeconds * 1_000,
        causationId: event.causationid,
        messageId: data.collectionMethod === 'message' ? event.correlationid : null,
        issue: open?.causationId === event.causationid ? open.issue + 1 : 1,
        refusals: [],
      };
      return { present, open: next, closed: close(ended(open, 'superseded', present.revision)) };
    }
    case 'preference.approved':
    case 'preference.corrected': {
      const { revision, proposalId, commitment } = data;
      const how = type === 'preference.corrected' ? 'corrected' : 'revision_moved';
      const next = {
        revision,
        proposalId,
        commitment,
        eventId: event.id,
        causationId: open.causationId,
        refusals: open.refusals,
      };
      return { present: next, open: null, closed: close(ended(present, how, revision)) };
    }
    case 'preference.cancelled':
      return { present, open: null, closed: close(ended(open, 'cancelled', present.revision)) };
    case 'preference.forgotten': {
      const { revision } = data;
      const byCard = data.method === 'card' ? open : null;
      const next = {
        ...NOTHING,
        revision,
        eventId: event.id,
        proposalId: byCard?.proposalId ?? null,
        causationId: byCard?.causationId ?? null,
        refusals: byCard?.refusals ?? [],
      };
      const others = byCard === null ? ended(open, 'forgotten', revision) : [];
      return { present: next, open: null, closed: close(ended(present, 'forgotten', revision), others) };
    }
    default: {
      const { proposalId, reason } = data;
      const add = (held) =>
        held !== null && held.proposalId === proposalId && !held.refusals.includes(reason)
          ? { ...held, refusals: [...held.refusals, reason] }
          : held;
      return { present: add(present), open: add(open), closed: state.closed.map(add) };
    }
  }
}

function accessIllegality({ reads, about }, { source, time, data }, previousTime) {
  if (previousTime !== null && time < previousTime) return 'time_goes_back';
  const isOfItself = source === `/ledgers/${data.ledgerId}`;
  const isFirst = reads.integrity + reads.content === 0;
  return isFirst || isOfItself || data.ledgerId === about ? null : 'read_of_another_ledger';
}

function evolveAccess({ reads, about }, { source, data: { role, ledgerId } }) {
  const isOfItself = source === `/ledgers/${ledgerId}`;
  return { reads: { ...reads, [role]: reads[role] + 1 }, about: isOfItself ? about : (about ?? ledgerId) };
}

/** The kinds of ledger there are: what can stand in one, what may follow, the fold, and what is in force by it. */
const LAWS = new Map([
  [
    'preference',
    { bodies: PREFERENCE_BODIES, initial: initialState, illegality, evolve, inForce: ({ present }) => present },
  ],
  [
    'access',
    {
      bodies: ACCESS_BODIES,
      initial: { reads: { integrity: 0, content: 0 }, about: null },
      illegality: accessIllegality,
      evolve: evolveAccess,
      inForce: () => initialState.present,
    },
  ],
]);

// ---- One ledger ------------------------------------------------------------------------------------------------------

/** Walks the lines of one ledger. @returns the first problem ({position, cause}) or null. */
function judgeLedger(ledger, lines, { witness, notices, texts }) {
  const law = LAWS.get(ledger.kind);
  if (law === undefined) return { position: 0, cause: 'unknown_kind' };
  let hash = sha256Hex(`local-ledger/v1|${ledger.ledgerId}`);
  let time = null;
  let state = law.initial;
  let position = 0;
  const fail = (cause, at = position) => ({ position: at, cause });
  for (const line of lines) {
    position += 1;
    const read = readLine(line, law.bodies);
    if (read.cause !== undefined) return fail(read.cause);
    const { event } = read;
    if (event.position !== position) return fail('position_differs');
    if (event.source !== `/ledgers/${ledger.ledgerId}`) return fail('other_ledger');
    if (event.subject !== ledger.subjectKey) return fail('other_subject');
    if (event.previoushash !== hash) return fail('link_differs');
    const cause =
      law.illegality(state, event, time) ?? noticeProblem(event, ledger, position, { witness, notices, texts });
    if (cause !== null) return fail(cause);
    state = law.evolve(state, event, read.hash);
    const witnessed = witness?.hashes.get(position);
    if (witnessed !== undefined && witnessed !== read.hash) return fail('witnessed_hash_differs');
    hash = read.hash;
    time = event.time;
  }
  if (witness !== undefined && witness.position > position) return fail('cut_off', position + 1);
  if (ledger.position > position) return fail('cut_off', position + 1);
  if (ledger.position < position) return fail('head_behind_events', ledger.position + 1);
  if (ledger.hash !== hash) return fail('head_hash_differs');
  if (ledger.time !== time) return fail('head_time_differs');
  return canonical(ledger.state) === canonical(state)
    ? contentProblem(ledger, law.inForce(state), position)
    : fail('head_state_differs');
}

function noticeProblem({ type, data }, ledger, position, { witness, notices, texts }) {
  if (type !== 'preference.proposed') return null;
  if (!data.noticeVersion.startsWith(`${ledger.purpose}/`)) return 'notice_of_other_purpose';
  const name = `${data.noticeVersion} ${data.language}`;
  const text = texts.get(name);
  if (text === undefined) return 'notice_missing';
  const recorded = notices.get(name);
  if (recorded === undefined)
    return witness !== undefined && position <= witness.position ? 'notice_not_recorded' : null;
  return sha256Hex(text) === recorded ? null : 'notice_differs';
}

function contentProblem({ content, ledgerId, purpose }, present, position) {
  if (content === undefined) return null;
  const fail = (cause) => ({ position, cause });
  if (present.commitment === null) return content === null ? null : fail('content_left_behind');
  if (content === null) return fail('content_missing');
  if (content.revision !== present.revision) return fail('content_revision_differs');
  if (content.purpose !== purpose) return fail('content_does_not_open');
  const text = canonical({ ledgerId, purpose, version: content.version, value: content.value });
  const made = createHmac('sha256', Buffer.from(content.blindingKey, 'base64url')).update(text).digest();
  return timingSafeEqual(made, Buffer.from(present.commitment, 'hex')) ? null : fail('content_does_not_open');
}

// ---- One bundle ------------------------------------------------------------------------------------------------------

const isLedgerEntry = (ledger) =>
  hasExactly(ledger, ['ledgerId', 'kind', 'purpose', 'subjectKey', 'position', 'hash', 'time', 'state']) &&
  isText(ledger.ledgerId, LEDGER_ID) &&
  isText(ledger.subjectKey, LEDGER_ID) &&
  typeof ledger.kind === 'string' &&
  typeof ledger.purpose === 'string' &&
  isInteger(ledger.position, 1) &&
  isText(ledger.hash, HEX) &&
  isTime(ledger.time);
const isManifest = (manifest) =>
  hasExactly(manifest, ['formatVersion', 'generatedAt', 'scope', 'content', 'counts', 'files', 'ledgers', 'notices']) &&
  isTime(manifest.generatedAt) &&
  ['all', 'selected'].includes(manifest.scope) &&
  ['none', 'in_force'].includes(manifest.content) &&
  hasExactly(manifest.counts, ['ledgers', 'events']) &&
  isRecord(manifest.files) &&
  Array.isArray(manifest.ledgers) &&
  manifest.ledgers.every(isLedgerEntry) &&
  manifest.ledgers.every(({ ledgerId }, index) => index === 0 || manifest.ledgers[index - 1].ledgerId < ledgerId) &&
  Array.isArray(manifest.notices) &&
  manifest.notices.every(
    (notice) =>
      hasExactly(notice, ['version', 'language', 'text']) &&
      Object.values(notice).every((text) => typeof text === 'string'),
  );

/** Lines without their newline; what stands after the last newline is a line too. */
function linesOf(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    lines.push(bytes.subarray(from, end === -1 ? bytes.length : end));
    from = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}

/** Gives each line to a ledger of the manifest: to the one being read, until a line opens a later one. */
function sortLines(lines, ledgers) {
  const order = new Map(ledgers.map(({ ledgerId }, index) => [`/ledgers/${ledgerId}`, index]));
  const sorted = ledgers.map(() => []);
  let current = 0;
  for (const line of lines) {
    const value = ledgers.length === 1 || line.length > LINE_BYTES_MAX ? undefined : parseJson(line);
    const named = isRecord(value) && typeof value.source === 'string' ? (order.get(value.source) ?? -1) : -1;
    const complete = sorted[current].length >= ledgers[current].position;
    if (named > current && (complete || value.position === 1)) current = named;
    sorted[current].push(line);
  }
  return sorted;
}

function contentsOf(bytes) {
  const contents = new Map();
  for (const line of linesOf(bytes)) {
    const content = parseJson(line);
    const isContent =
      hasExactly(content, ['ledgerId', 'revision', 'purpose', 'version', 'value', 'blindingKey']) &&
      isText(content.ledgerId, LEDGER_ID) &&
      isInteger(content.revision, 1) &&
      typeof content.purpose === 'string' &&
      content.version === 1 &&
      typeof content.value === 'string' &&
      isText(content.blindingKey, LEDGER_ID) &&
      Buffer.from(canonical(content) ?? '').equals(line) &&
      !contents.has(content.ledgerId);
    if (!isContent) return undefined;
    contents.set(content.ledgerId, content);
  }
  return contents;
}

/**
 * Judges one bundle.
 * @param read gives a file of the bundle by name: its bytes, 'missing' or 'unreadable'.
 * @param key from {@link readKey}. @param seen from {@link readNote}, or null.
 * @param all whether a bundle of less than all ledgers the checkpoint knows is a problem, whatever the bundle says it is.
 * @returns {{exit: 0 | 1 | 3, ok: boolean, ledgers: number, events: number, problems: object[], notYetWitnessed: object,
 *   coverage: object | null, checkpoint: object | null}}
 */
export function verifyBundle(read, key, seen, all = false) {
  const problems = [];
  const whole = (cause, file = null) => problems.push({ ledgerId: null, position: 0, cause, ...(file && { file }) });
  const report = (exit, more = {}) => ({
    exit,
    ok: exit === 0,
    ledgers: 0,
    events: 0,
    problems,
    notYetWitnessed: { ledgers: 0, events: 0, tails: [] },
    coverage: null,
    checkpoint: null,
    ...more,
  });
  const names = ['manifest.json', ...FILES];
  const files = new Map(names.map((name) => [name, read(name)]));
  if (names.every((name) => files.get(name) === 'missing')) {
    whole('bundle_missing');
    return report(3);
  }
  const manifestBytes = files.get('manifest.json');
  const manifest = typeof manifestBytes === 'string' ? undefined : parseCanonicalFile(manifestBytes);
  if (isRecord(manifest) && manifest.content === 'in_force') files.set(CONTENT_FILE, read(CONTENT_FILE));
  for (const [name, bytes] of files) if (typeof bytes === 'string') whole(`file_${bytes}`, name);
  if (problems.length > 0) return report(1);
  if (isRecord(manifest) && isInteger(manifest.formatVersion, FORMAT_VERSION + 1)) {
    whole('newer_format', 'manifest.json');
    return report(1);
  }
  if (manifest === undefined || manifest.formatVersion !== FORMAT_VERSION || !isManifest(manifest)) {
    whole('manifest_unreadable', 'manifest.json');
    return report(1);
  }
  if (manifest.ledgers.length === 0) {
    whole('nothing_to_judge');
    return report(3);
  }
  return judge(manifest, files, { key, seen, all, problems, whole, report });
}

function judge(manifest, files, { key, seen, all, problems, whole, report }) {
  const lines = linesOf(files.get('events.ndjson'));
  const log = judgeLog(files.get('checkpoint.txt'), parseCanonicalFile(files.get('proofs.json')), key);
  const texts = new Map(manifest.notices.map(({ version, language, text }) => [`${version} ${language}`, text]));
  const contents = manifest.content === 'in_force' ? contentsOf(files.get(CONTENT_FILE)) : undefined;
  const tails = [];
  let witnessedLedgers = 0;
  const sorted = sortLines(lines, manifest.ledgers);
  manifest.ledgers.forEach((ledger, index) => {
    const witness = log.cause === undefined ? witnessOf(ledger.ledgerId, log) : undefined;
    const content = contents === undefined ? undefined : (contents.get(ledger.ledgerId) ?? null);
    const problem =
      judgeLedger({ ...ledger, content }, sorted[index], { witness, notices: log.notices ?? new Map(), texts }) ??
      (log.cause === undefined && witness === undefined ? { position: 0, cause: 'head_not_proven' } : null);
    if (problem !== null) problems.push({ ledgerId: ledger.ledgerId, ...problem });
    if ((witness?.position ?? 0) > 0) witnessedLedgers += 1;
    const events = sorted[index].length - (witness?.position ?? 0);
    if (events > 0) tails.push({ ledgerId: ledger.ledgerId, fromPosition: (witness?.position ?? 0) + 1, events });
  });
  if (log.cause !== undefined) whole(log.cause);
  else {
    const cause = seen === null ? undefined : judgeSeen(seen, log, key);
    if (cause !== undefined) whole(cause);
    if ((all || manifest.scope === 'all') && witnessedLedgers !== log.heads.ledgers) whole('ledger_missing');
  }
  if (all && manifest.scope !== 'all') whole('scope_not_all', 'manifest.json');
  if (contents === undefined && manifest.content === 'in_force') whole('content_unreadable', CONTENT_FILE);
  const known = new Set(manifest.ledgers.map(({ ledgerId }) => ledgerId));
  if (contents !== undefined && [...contents.keys()].some((ledgerId) => !known.has(ledgerId)))
    whole('content_left_behind', CONTENT_FILE);
  fileProblems(manifest, files, whole);
  if (manifest.counts.ledgers !== manifest.ledgers.length || manifest.counts.events !== lines.length)
    whole('counts_differ', 'manifest.json');
  const { origin, size, root } = log.note ?? {};
  return report(problems.length === 0 ? 0 : 1, {
    ledgers: manifest.ledgers.length,
    events: lines.length,
    notYetWitnessed: { ledgers: tails.length, events: tails.reduce((sum, { events }) => sum + events, 0), tails },
    coverage: { scope: manifest.scope, witnessed: witnessedLedgers, known: log.heads?.ledgers ?? null },
    checkpoint: log.note === undefined ? null : { origin, size, root: root.toString('base64') },
  });
}

function fileProblems(manifest, files, whole) {
  const named = [...files.keys()].filter((name) => name !== 'manifest.json');
  if (!hasExactly(manifest.files, named)) {
    whole('manifest_unreadable', 'manifest.json');
    return;
  }
  for (const name of named) {
    const bytes = files.get(name);
    const entry = manifest.files[name];
    if (!hasExactly(entry, ['bytes', 'sha256']) || entry.bytes !== bytes.length || entry.sha256 !== sha256Hex(bytes))
      whole('file_differs', name);
  }
}

// ---- The command line ------------------------------------------------------------------------------------------------

/** Reads files of a folder. */
export const folderReader = (folder) => (name) => {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : 'unreadable';
  }
};

const USAGE =
  'node verify-bundle.mjs <bundle folder>… --key <public key file> [--seen <older checkpoint file>] [--all]';

/** How much of what the checkpoint knows is in a bundle, in words. */
const coverageWords = ({ scope, witnessed, known }) =>
  known === null
    ? `no checkpoint holds, so nothing shows which ledgers there are; ${scope}`
    : `${witnessed} of ${known} ledgers known to the checkpoint; ${scope}`;

function readArguments(argv) {
  const options = { key: { type: 'string' }, seen: { type: 'string' }, all: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, strict: true, options });
  if (positionals.length === 0 || values.key === undefined) throw new Error('Name a bundle and --key');
  for (const path of positionals) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) throw new Error(`${path} is not a folder`);
  }
  const key = readKey(readFileSync(values.key, 'utf8').trim());
  if (key === undefined) throw new Error(`${values.key} does not hold a public key of a checkpoint log`);
  const seen = values.seen === undefined ? null : readNote(readFileSync(values.seen));
  if (seen === undefined) throw new Error(`${values.seen} does not hold a checkpoint`);
  if (seen !== null && !isSignedBy(seen, key)) console.error('Note: the seen checkpoint is not signed by this key.');
  return { bundles: positionals, key, seen, all: values.all === true };
}

function main(argv) {
  let asked;
  try {
    asked = readArguments(argv);
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    return 2;
  }
  const reports = asked.bundles.map((bundle) => {
    const { exit, ...report } = verifyBundle(folderReader(bundle), asked.key, asked.seen, asked.all);
    for (const { ledgerId, position, cause, file } of report.problems)
      console.error(
        `${bundle}: ${ledgerId === null ? (file ?? 'bundle') : `${ledgerId} position ${position}`}: ${cause}`,
      );
    if (report.coverage !== null) console.error(`${bundle}: ${coverageWords(report.coverage)}`);
    return { exit, bundle, report };
  });
  const ok = reports.every(({ report }) => report.ok);
  const only = reports.length === 1 ? reports[0].report : null;
  console.log(JSON.stringify(only ?? { ok, bundles: reports.map(({ bundle, report }) => ({ bundle, ...report })) }));
  const exits = reports.map(({ exit }) => exit);
  return exits.includes(1) ? 1 : exits.includes(3) ? 3 : 0;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2));
}
