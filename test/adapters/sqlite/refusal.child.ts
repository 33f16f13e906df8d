/**
 * Opens the store of a folder and prints why it was refused, or `opened`.
 * @module
 */
import { StoreRefused } from '../../../src/adapters/sqlite/store-refused.ts';
import { openIn } from './store-files.ts';

try {
  await openIn(process.argv[2] ?? '');
  console.log('opened');
} catch (error) {
  console.log(error instanceof StoreRefused ? error.cause : error);
}
