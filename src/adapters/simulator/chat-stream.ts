/**
 * Live updates of one open page, as server-sent events: a snapshot first, then each change.
 * @module
 */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { chatView, itemView, peopleView } from './chat-views.ts';
import type { Change, Chats, Person } from './chats.ts';
import { inWords, type LedgerView } from './ledger-words.ts';

/** Pages open at once; one more is told to come later. */
export const STREAMS_MAX = 32;
/** Changes a slow page may lag behind before it is cut off, to open again with a snapshot. */
const BACKLOG_MAX = 1_000;

export type StreamDeps = {
  readonly clock: () => number;
  readonly chats: Chats;
  readonly ledgerEvents: (userId: string) => Promise<LedgerView>;
};

type Message = { readonly event: string; readonly data: unknown };

/** Opens streams and can end them all. */
export function createStreams(deps: StreamDeps) {
  const { chats, clock } = deps;
  const open = new Set<() => void>();

  const messageOf = async (change: Change, person: Person): Promise<Message | null> => {
    if (change.letter !== null && change.letter !== person.letter) return null;
    switch (change.kind) {
      case 'item':
        return { event: 'item', data: itemView(change.item) };
      case 'people':
        return { event: 'people', data: peopleView(chats, clock()) };
      case 'loading':
        return { event: 'loading', data: { seconds: change.seconds } };
      case 'traffic':
        return { event: 'traffic', data: change.traffic };
      case 'ledger':
        return { event: 'ledger', data: await ledgerOf(deps, person) };
    }
  };

  const stream = (c: Context, person: Person) => {
    if (open.size >= STREAMS_MAX) return c.json({ message: '開著的頁面太多了，請先關掉幾個。' }, 503);
    return streamSSE(c, async (sse) => {
      const backlog: Change[] = [];
      let wake = () => {};
      let ended = false;
      const end = () => {
        ended = true;
        wake();
      };
      const unsubscribe = chats.subscribe((change) => {
        if (backlog.push(change) > BACKLOG_MAX) ended = true;
        wake();
      });
      open.add(end);
      sse.onAbort(end);
      const write = ({ event, data }: Message) => sse.writeSSE({ event, data: JSON.stringify(data) });
      try {
        await write({ event: 'people', data: peopleView(chats, clock()) });
        await write({ event: 'chat', data: { ...chatView(person), traffic: chats.traffic } });
        await write({ event: 'ledger', data: await ledgerOf(deps, person) });
        while (!ended) {
          const change = backlog.shift();
          if (change === undefined) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
            continue;
          }
          if (backlog.some((later) => sameView(later, change))) continue;
          const message = await messageOf(change, person);
          if (message !== null) await write(message);
        }
      } finally {
        unsubscribe();
        open.delete(end);
      }
    });
  };

  return {
    stream,
    /** Ends every open stream, so that a server can close. */
    close: () => {
      for (const end of open) end();
    },
  };
}

/** A later change that shows the same again makes the earlier one needless. */
function sameView(later: Change, change: Change): boolean {
  if (change.kind !== 'people' && change.kind !== 'ledger') return false;
  return later.kind === change.kind && later.letter === change.letter;
}

async function ledgerOf(deps: StreamDeps, person: Person) {
  try {
    const { ledgerId, revision, value, events } = await deps.ledgerEvents(person.userId);
    return { ok: true, ledgerId, revision, value, events: events.map(inWords) };
  } catch {
    return { ok: false };
  }
}
