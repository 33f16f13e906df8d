/**
 * The ids LINE would make: event ids, message ids, tokens, and one user id for each person of the simulator.
 * @module
 */
import { createHmac } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export type Ids = {
  /** A ULID: 26 characters, the first ten are the time. */
  readonly eventId: () => string;
  /** A numeric string that grows by one. */
  readonly messageId: () => string;
  /** 32 hex digits; used for reply, quote and read tokens. */
  readonly token: () => string;
  /** A UUID, for `x-line-request-id`. */
  readonly requestId: () => string;
};

/**
 * Makes the ids of one simulator.
 * @param clock Unix milliseconds.
 * @param randomBytes gives that many random bytes.
 */
export function createIds(clock: () => number, randomBytes: (size: number) => Uint8Array): Ids {
  const hex = (size: number) => Buffer.from(randomBytes(size)).toString('hex');
  let lastMessage = 500_000_000_000_000_000n + BigInt(`0x${hex(6)}`);
  return {
    eventId: () => ulid(clock(), randomBytes(10)),
    messageId: () => {
      lastMessage += 1n;
      return lastMessage.toString();
    },
    token: () => hex(16),
    requestId: () => hex(16).replace(/^(.{8})(.{4}).(.{3})(.{4})(.{12}).*$/, '$1-$2-4$3-$4-$5'),
  };
}

function ulid(time: number, random: Uint8Array): string {
  let value = (BigInt(time) << 80n) | BigInt(`0x${Buffer.from(random).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < 26; digit += 1) {
    text = `${CROCKFORD[Number(value & 31n)]}${text}`;
    value >>= 5n;
  }
  return text;
}

/**
 * The LINE user id of a person: `U` and 32 hex digits. Derived from the channel secret, so that after a restart Person A
 * is still who the ledger knows.
 */
export function userIdOf(channelSecret: string, letter: string): string {
  return `U${deriveHex(channelSecret, `person/${letter}`)}`;
}

/** The id of the one group the simulator has: `C` and 32 hex digits. */
export function groupIdOf(channelSecret: string): string {
  return `C${deriveHex(channelSecret, 'group')}`;
}

function deriveHex(channelSecret: string, name: string): string {
  return createHmac('sha256', channelSecret).update(`local-simulator/v1|${name}`).digest('hex').slice(0, 32);
}
