/**
 * Giving one answer: by reply while its token lives, else by push; what it rests on is compared just before each call.
 * @module
 */
import { v5 as uuidV5 } from 'uuid';
import * as v from 'valibot';
import type { Answer } from '../../commands/answers.ts';
import type { Person, Turn, Turns } from '../../commands/turns.ts';
import { type LineClient, RetryKey, type SendResult } from './client.ts';
import type { CountLine, LogTurn, TurnRecord } from './signals.ts';
import { view } from './view/view.ts';

/** A reply token is used for so long after its event was received, milliseconds; LINE lets it live for a minute. */
export const REPLY_TOKEN_MS = 50_000;
/** The namespace of retry keys. */
const RETRY_KEY_NAMESPACE = '2f9bd0c4-6a0e-5c55-9d0b-7c6a3d1f8e42';

/** How to reach a person about one event. */
export type AnswerRoute = {
  readonly turnId: string;
  /** The webhookEventId or operation id that names the answer. */
  readonly key: string;
  readonly person: Person;
  readonly userId: string;
  readonly reply: {
    readonly token: string;
    /** When its event came, Unix milliseconds. */
    readonly receivedAt: number;
    /** What to do when the token is found used: `owe` where a delivery of the same event may be answering just now. */
    readonly ifUsed: 'push' | 'owe';
  } | null;
  /** How often the turn was run before, from 0. */
  readonly attempt: number;
};

/** `owed`: not given, a later try may. All others end the matter. */
export type Given = Extract<TurnRecord['outcome'], 'replied' | 'pushed' | 'rejected' | 'owed'>;

/** Gives the answers of a turn that has some. Rejects only when the store or the view fails. */
export type Deliver = (turn: Turn, route: AnswerRoute) => Promise<Given>;

export type DeliverParts = {
  readonly client: LineClient;
  readonly stillCurrent: Turns['stillCurrent'];
  readonly buildId: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly count: CountLine;
  readonly log: LogTurn;
};

/** Makes the one way answers leave by. */
export function createDeliver(parts: DeliverParts): Deliver {
  const { client, stillCurrent, buildId, clock, count, log } = parts;

  async function currentAnswers(turn: Turn, person: Person): Promise<readonly Answer[]> {
    if (await stillCurrent(person, turn)) return turn.answers;
    count('answer_overtaken');
    return [{ status: 'preference_changed' }];
  }

  async function send(turn: Turn, route: AnswerRoute): Promise<Given> {
    const { person, userId, reply } = route;
    if (reply !== null && clock() - reply.receivedAt < REPLY_TOKEN_MS) {
      const messages = view(await currentAnswers(turn, person), { buildId });
      const replied = await client.reply({ replyToken: reply.token, messages });
      if (replied.result !== 'invalid_token') return givenOf(replied, 'replied');
      if (reply.ifUsed === 'owe') return 'owed';
      // The token cannot be too old yet, so an earlier try used it. A card made since has ended the one sent then.
      if (route.attempt > 0 && !offersCard(turn)) return 'replied';
    }
    const messages = view(await currentAnswers(turn, person), { buildId });
    return givenOf(await client.push({ to: userId, messages, retryKey: retryKeyOf(turn, route) }), 'pushed');
  }

  return async function deliver(turn, route) {
    const given = await send(turn, route);
    count(`answer_${given}`);
    log({
      turnId: route.turnId,
      tools: turn.tools ?? [],
      origin: turn.answers.find((answer) => answer.status === 'places')?.origin ?? null,
      statuses: turn.answers.map(({ status }) => status),
      outcome: given,
      revision: turn.restsOnRevision,
    });
    return given;
  };
}

function givenOf(sent: SendResult, how: 'replied' | 'pushed'): Given {
  switch (sent.result) {
    case 'accepted':
    case 'already_accepted':
      return how;
    case 'unavailable':
    case 'timeout':
      return 'owed';
    case 'invalid_token':
    case 'rejected':
      return 'rejected';
  }
}

function offersCard({ answers }: Turn): boolean {
  return answers.some(({ status }) => status === 'awaiting_memory_consent');
}

/** The same on each retry of the same answer; a card made again is another body, so it gets a key of its own. */
function retryKeyOf(turn: Turn, { key, attempt }: AnswerRoute): RetryKey {
  const kind = offersCard(turn) ? `card|${attempt}` : 'answer';
  return v.parse(RetryKey, uuidV5(`${key}|${kind}`, RETRY_KEY_NAMESPACE));
}
