import { createHash } from 'node:crypto';
import { SCHEMA_SQL } from './src/adapters/sqlite/schema.ts';
console.log(createHash('sha256').update(SCHEMA_SQL).digest('hex'));
