/**
 * The hash chain: what an event is bound to and how that is checked.
 * @module
 */
import { hash } from 'node:crypto';
import type { LedgerId } from './identity.ts';

/** SHA-256 of bytes, 64 lower case hex digits. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}

/** What position 1 of a ledger names as the hash before it. */
export function genesisHash(ledgerId: LedgerId): string {
  return sha256Hex(`local-ledger/v1|${ledgerId}`);
}
