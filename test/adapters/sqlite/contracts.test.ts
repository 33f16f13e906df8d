/** SQLite keeps what every store promises. */
import { addressesContract } from '../../contracts/addresses.contract.ts';
import { inboxContract } from '../../contracts/inbox.contract.ts';
import { ledgerContract } from '../../contracts/ledger.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import { openTwice } from './store-files.ts';

ledgerContract('SQLite', openTwice);
inboxContract('SQLite', openTwice);
outboxContract('SQLite', openTwice);
addressesContract('SQLite', openTwice);
