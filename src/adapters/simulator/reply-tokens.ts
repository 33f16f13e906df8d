/**
 * Reply tokens and retry keys: what makes an answer count once.
 * @module
 */

/** LINE's rule: use a reply token within one minute of receiving the webhook. Milliseconds; from then on it is dead. */
export const REPLY_TOKEN_LIFE_MS = 60_000;
/** A redelivery gives a token another minute, unless this long has passed since the event. */
export const REPLY_TOKEN_RENEWAL_MS = 20 * 60_000;
/** How long an accepted retry key is remembered. */
export const RETRY_KEY_LIFE_MS = 24 * 60 * 60_000;
const REMEMBERED_MAX = 2_000;

/** Who an answer goes to: people by letter. */
export type Recipients = readonly string[];

type Token = { readonly recipients: Recipients; readonly eventAt: number; receivedAt: number; used: boolean };

export type ReplyTokens = {
  /** The webhook with this token is being delivered now; again only if {@link REPLY_TOKEN_RENEWAL_MS} allows. */
  readonly delivered: (token: string, recipients: Recipients, eventAt: number) => void;
  /** Uses a token up. Null: unknown, used, or too old. */
  readonly redeem: (token: string) => Recipients | null;
};

/** @param clock Unix milliseconds. */
export function createReplyTokens(clock: () => number): ReplyTokens {
  const tokens = new Map<string, Token>();
  return {
    delivered(token, recipients, eventAt) {
      const known = tokens.get(token);
      if (known === undefined) tokens.set(token, { recipients, eventAt, receivedAt: clock(), used: false });
      else if (!known.used && clock() - eventAt < REPLY_TOKEN_RENEWAL_MS) known.receivedAt = clock();
      forgetOldest(tokens);
    },
    redeem(token) {
      const known = tokens.get(token);
      if (known === undefined || known.used || clock() - known.receivedAt >= REPLY_TOKEN_LIFE_MS) return null;
      known.used = true;
      return known.recipients;
    },
  };
}

/** What was answered to a call that carried a retry key. */
export type Accepted = { readonly requestId: string; readonly sentMessages: readonly { readonly id: string }[] };

export type RetryKeys = {
  /** What was accepted under this key within {@link RETRY_KEY_LIFE_MS}; null if nothing was. */
  readonly accepted: (key: string) => Accepted | null;
  readonly remember: (key: string, accepted: Accepted) => void;
};

/** @param clock Unix milliseconds. */
export function createRetryKeys(clock: () => number): RetryKeys {
  const keys = new Map<string, Accepted & { readonly at: number }>();
  return {
    accepted(key) {
      const known = keys.get(key);
      return known !== undefined && clock() - known.at < RETRY_KEY_LIFE_MS ? known : null;
    },
    remember(key, accepted) {
      keys.delete(key);
      keys.set(key, { ...accepted, at: clock() });
      forgetOldest(keys);
    },
  };
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= REMEMBERED_MAX) return;
    map.delete(key);
  }
}
