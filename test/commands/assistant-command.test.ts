import { expect, test } from 'vitest';
import type { AssistantCommand, Command } from '../../src/commands/decide.ts';
import { after, cardOf, forget, offer, propose, proposed, withdraw } from '../support/scenario.ts';

/** Stands for the assistant's side; the type check of this file is the test. */
const ask = (command: AssistantCommand): Command['kind'] => command.kind;

test('propose is all the assistant’s side can express: approve, cancel and forget do not type-check', () => {
  const A = offer('A');
  const card = cardOf(after(proposed(A)), A);
  const { causationId, blindingKey } = A;
  const notice = { noticeVersion: 'diet_for_place_search/1', language: 'zh-TW', collectionMethod: 'message' } as const;
  expect(ask({ kind: 'propose', value: 'vegan', blindingKey, causationId, ...notice })).toBe('propose');
  expect(ask({ kind: 'propose_forget', causationId, ...notice })).toBe('propose_forget');
  // @ts-expect-error Approving is the person's, by their own tap.
  ask({ kind: 'approve', card });
  // @ts-expect-error So is declining.
  ask({ kind: 'cancel', card });
  // @ts-expect-error So is forgetting.
  ask({ kind: 'forget', method: 'fixed_entry', erasureScope: 'all' });
  // @ts-expect-error A command of unknown kind may be one of those.
  ask(forget);
  // @ts-expect-error Likewise.
  ask(propose(A));
  // @ts-expect-error Unsending is the channel's.
  ask(withdraw(A));
});
