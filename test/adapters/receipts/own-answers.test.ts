import { beforeEach, describe, expect, test } from 'vitest';
import { createOwnRecords } from '../../../src/adapters/receipts/own-answers.ts';
import type { Person as Asking } from '../../../src/commands/turns.ts';
import { BEGINNING, CARD_KEYS, type Person, personOn } from '../../support/ledger-world.ts';
import { type MemoryLedger, memoryLedger } from '../../support/memory-ledger.ts';

let ledger: MemoryLedger;
let person: Person;
let asking: Asking;
beforeEach(() => {
  ledger = memoryLedger();
  person = personOn(ledger, 'Person A');
  asking = { tenantId: person.ref.tenantId, subjectKey: person.subjectKey, diet: person.ref };
});

const own = (base: string | null = 'https://town.example') =>
  createOwnRecords({ reader: ledger, cardKeys: CARD_KEYS, clock: () => BEGINNING, publicBaseUrl: () => base });

describe('What a person is told of their own ledger', () => {
  test('the last five events, newest first, and how many came before', async () => {
    for (const [index, value] of ['vegan', 'lacto', 'vegan', 'lacto'].entries()) {
      await person.remember(`m${index}`, value);
    }
    const { answers, restsOnRevision } = await own().records(asking);
    expect(answers).toMatchObject([
      {
        status: 'my_records',
        earlier: 3,
        inForce: { value: 'lacto', revision: 4 },
        history: [8, 7, 6, 5, 4].map((position) => ({ position })),
      },
    ]);
    expect(restsOnRevision).toBe(4);
  });

  test('the newest decision however many offers came after it', async () => {
    await person.remember('m', 'vegan');
    for (let index = 0; index < 70; index += 1) await person.propose(`later-${index}`, 'lacto');
    const { answers } = await own().receipt(asking);
    expect(answers).toMatchObject([{ status: 'my_receipt', receipt: { kind: 'save', position: 2, opens: true } }]);
  });

  test('a receipt opens nothing after a forget', async () => {
    await person.remember('m', 'vegan');
    await person.forget();
    const { answers } = await own().receipt(asking);
    expect(answers).toMatchObject([{ receipt: { kind: 'forget', revision: 2, opens: false }, inForce: null }]);
  });

  test('without a public address there is no link, and the events are told all the same', async () => {
    await person.remember('m', 'vegan');
    for (const asked of [own(null).records(asking), own(null).receipt(asking)]) {
      expect((await asked).answers).toMatchObject([{ link: null, inForce: { value: 'vegan' } }]);
    }
  });

  test('of nothing there is no link either', async () => {
    expect((await own().records(asking)).answers).toMatchObject([{ history: [], earlier: 0, link: null }]);
    expect((await own().receipt(asking)).answers).toMatchObject([{ receipt: null, link: null }]);
  });

  test('an event that cannot be read or is missing is said to be so, and nothing is told of the others', async () => {
    await person.remember('m', 'vegan');
    const sound = ledger;
    const faults: readonly MemoryLedger['events'][] = [
      async (...asked) => (await sound.events(...asked)).map((each) => ({ ...each, bytes: Buffer.from('{}') })),
      async (...asked) => (await sound.events(...asked)).slice(1),
      async (...asked) => (await sound.events(...asked)).toReversed(),
      async (...asked) => (await sound.events(...asked)).map((each) => ({ ...each, hash: '0'.repeat(64) })),
    ];
    for (const events of faults) {
      ledger = { ...sound, events };
      for (const asked of [own().records(asking), own().receipt(asking)]) {
        expect((await asked).answers).toStrictEqual([{ status: 'records_unreadable' }]);
      }
    }
  });
});
