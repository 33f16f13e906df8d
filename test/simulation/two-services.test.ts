/**
 * Two instances of the service on one Firestore.
 * @module
 */
import { expect, it } from 'vitest';
import { onEmulator } from '../support/on-emulator.ts';
import { runTwoServices } from './two-services.ts';

const PEOPLE = 20;
const SEED = 7;

onEmulator('Two services on one Firestore', (host) => {
  it(`every delivery has one effect, however often and wherever it comes (${PEOPLE} people, seed ${SEED})`, {
    timeout: 180_000,
  }, async () => {
    expect(await runTwoServices(host(), PEOPLE, SEED)).toEqual({
      people: PEOPLE,
      deliveries: 2 * PEOPLE,
      notTaken: 0,
      notOnce: 0,
      answeredTwice: 0,
      problems: 0,
    });
  });
});
