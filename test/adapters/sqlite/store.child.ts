/**
 * A process of its own on a store file: `hold`, `approve` or `approve_until_killed`, the folder, and a name for its people.
 * @module
 */
import { once } from 'node:events';
import { personOn } from '../../support/ledger-world.ts';
import { openIn, seededRandom } from './store-files.ts';

/** How many people one `approve` child approves. */
const PEOPLE = 25;

const [task, folder = '', name = ''] = process.argv.slice(2);
const store = await openIn(folder, { random: seededRandom(process.pid) });
console.log('ready');

if (task === 'hold') {
  await store.ledger.ledgers(null, 1);
  process.stdin.resume();
  await once(process.stdin, 'end');
} else if (task === 'approve') {
  await once(process.stdin, 'data');
  await Promise.all(
    Array.from({ length: PEOPLE }, async (_, index) => {
      const person = personOn(store.ledger, `${name} ${index}`);
      await person.remember(`cause-${index}`, 'vegan');
      console.log(person.ref.ledgerId);
    }),
  );
} else {
  for (let index = 0; ; index += 1) {
    const person = personOn(store.ledger, `${name} ${index}`);
    await person.remember(`cause-${index}`, 'lacto');
    console.log(person.ref.ledgerId);
  }
}
await store.close();
