/** SQLite keeps what every store promises. */
import { addressesContract } from '../../contracts/addresses.contract.ts';
import { budgetContract } from '../../contracts/budget.contract.ts';
import { checkpointLogContract } from '../../contracts/checkpoint-log.contract.ts';
import { contextContract } from '../../contracts/context.contract.ts';
import { inboxContract } from '../../contracts/inbox.contract.ts';
import { ledgerContract } from '../../contracts/ledger.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import { turnRecordsContract } from '../../contracts/turn-records.contract.ts';
import { openTwice } from './store-files.ts';

ledgerContract('SQLite', openTwice);
inboxContract('SQLite', openTwice);
outboxContract('SQLite', openTwice);
addressesContract('SQLite', openTwice);
turnRecordsContract('SQLite', openTwice);
contextContract('SQLite', openTwice);
budgetContract('SQLite', openTwice);
checkpointLogContract('SQLite', openTwice);
