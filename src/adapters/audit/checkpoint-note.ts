/**
 * A checkpoint as text that anybody can keep: C2SP tlog-checkpoint in a signed note, with Ed25519.
 *
 *     <origin>
 *     <number of leaves>
 *     <root hash, base64>
 *
 *     — <key name> <base64 of key id (4 bytes) and signature (64 bytes)>
 * @module
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The longest note that is read, characters. */
const NOTE_LENGTH_MAX = 4_096;
/** The most signature lines that are read. */
const SIGNATURES_MAX = 16;
const ED25519 = 1;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** What stands before the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const NAME = /^[\x21-\x2a\x2c-\x7e]{1,100}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What a checkpoint says. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array };

/** A public key under the log's name; `text` is its one spelling, `<name>+<key id hex>+<base64>`. */
export type VerifierKey = {
  readonly name: string;
  readonly keyId: Buffer;
  readonly key: KeyObject;
  readonly text: string;
};

/** A note that was read and not yet believed. */
export type ReadNote = {
  readonly checkpoint: Checkpoint;
  readonly signed: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: Buffer; readonly signature: Buffer }[];
};

/** The private key of 32 random bytes. @throws RangeError for another length. */
export function checkpointSigner(seed: Uint8Array): KeyObject {
  if (seed.length !== 32) throw new RangeError('An Ed25519 seed has exactly 32 bytes');
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** The log's name: it goes by the store, so that another store's checkpoints are another log's. */
export function logOrigin(subjectKeyFingerprint: string): string {
  return `local-ledger/${subjectKeyFingerprint.slice(0, 16)}`;
}

/** The public half of a key under the log's name. @param origin without spaces and `+`. @throws RangeError, TypeError. */
export function verifierKey(origin: string, key: KeyObject): VerifierKey {
  if (!NAME.test(origin)) throw new RangeError('A log has a name of visible ASCII without "+"');
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('A checkpoint key is an Ed25519 key');
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const typed = Buffer.concat([Buffer.of(ED25519), spki.subarray(SPKI_PREFIX.length)]);
  const keyId = hash('sha256', Buffer.concat([Buffer.from(`${origin}\n`), typed]), 'buffer').subarray(0, KEY_ID_BYTES);
  return {
    name: origin,
    keyId,
    key: publicKey,
    text: `${origin}+${keyId.toString('hex')}+${typed.toString('base64')}`,
  };
}

/** Reads a key's text; null when it is not its own one spelling. */
export function readVerifierKey(text: string): VerifierKey | null {
  const [name = '', keyId = '', encoded = '', ...more] = text.split('+');
  // Base64 may hold "+" itself, so what follows belongs to it.
  const typed = Buffer.from([encoded, ...more].join('+'), 'base64');
  if (!NAME.test(name) || typed.length !== 33 || typed[0] !== ED25519 || !/^[0-9a-f]{8}$/.test(keyId)) return null;
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, typed.subarray(1)]), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
  const made = verifierKey(name, key);
  return made.text === text ? made : null;
}

/** The signed note of a checkpoint. @param signers Ed25519 private keys, at least one. */
export function signCheckpoint(checkpoint: Checkpoint, signers: readonly KeyObject[]): string {
  const signed = `${checkpoint.origin}\n${checkpoint.size}\n${Buffer.from(checkpoint.root).toString('base64')}\n`;
  const lines = signers.map((signer) => {
    const { name, keyId } = verifierKey(checkpoint.origin, signer);
    const signature = sign(null, Buffer.from(signed), signer);
    return `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;
  });
  return `${signed}\n${lines.join('')}`;
}

/** Reads a note strictly: what is signed is what is read. Null when it is not a checkpoint. */
export function readNote(note: string): ReadNote | null {
  if (note.length > NOTE_LENGTH_MAX || !note.endsWith('\n')) return null;
  const end = note.lastIndexOf('\n\n');
  if (end === -1) return null;
  const signed = note.slice(0, end + 1);
  const [origin = '', size = '', root = '', rest, ...more] = signed.split('\n');
  if (!NAME.test(origin) || !/^(0|[1-9][0-9]{0,14})$/.test(size) || rest !== '' || more.length > 0) return null;
  const rootBytes = fromBase64(root);
  if (rootBytes?.length !== 32) return null;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) return null;
  const signatures: { name: string; keyId: Buffer; signature: Buffer }[] = [];
  for (const line of lines) {
    const [dash, name = '', encoded = '', ...others] = line.split(' ');
    const bytes = fromBase64(encoded);
    if (dash !== '—' || !NAME.test(name) || bytes === null || bytes.length <= KEY_ID_BYTES || others.length > 0)
      return null;
    signatures.push({ name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) });
  }
  return { checkpoint: { origin, size: Number(size), root: rootBytes }, signed, signatures };
}

/** Whether the note carries this key's signature, and no false one under it. */
export function isSignedBy(note: ReadNote, key: VerifierKey): boolean {
  if (note.checkpoint.origin !== key.name) return false;
  const ours = note.signatures.filter(({ name, keyId }) => name === key.name && keyId.equals(key.keyId));
  return (
    ours.length > 0 &&
    ours.every(
      ({ signature }) =>
        signature.length === SIGNATURE_BYTES && verify(null, Buffer.from(note.signed), key.key, signature),
    )
  );
}

function fromBase64(text: string): Buffer | null {
  if (!BASE64.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
