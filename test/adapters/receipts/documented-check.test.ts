import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decisionsOf, receiptOf } from '../../../src/projections/receipt.ts';
import type { JsonLd } from '../../../src/projections/record.ts';
import { agree, chain, content, forget, offer, REF } from '../../support/own-histories.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-receipt-'));
  const page = readFileSync(new URL('../../../docs/receipts.md', import.meta.url), 'utf8');
  writeFileSync(join(folder, 'check-receipt.mjs'), /```js\n(.*?)```/s.exec(page)?.[1] ?? '');
  const events = chain(offer('a', 'save', 'lacto', 0), agree('a', 'lacto', 1), forget(2, 1));
  const lines = events.map(({ event, hash }) => JSON.stringify({ ...event, hash }));
  writeFileSync(join(folder, 'events.ndjson'), `${lines.join('\n')}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

function receipt(opened: boolean): JsonLd {
  const [decision] = decisionsOf(chain(offer('a', 'save', 'lacto', 0), agree('a', 'lacto', 1)));
  if (decision === undefined) throw new Error('No decision');
  const source = {
    ledgerId: REF.ledgerId,
    purpose: REF.purpose,
    controller: { name: null, contact: null, jurisdiction: null },
  };
  return receiptOf(source, decision, opened ? content('a', 'lacto', 1) : null);
}

function check(document: JsonLd) {
  writeFileSync(join(folder, 'receipt.json'), JSON.stringify(document, null, 2));
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(folder, 'check-receipt.mjs'), join(folder, 'receipt.json'), join(folder, 'events.ndjson')],
    { encoding: 'utf8' },
  );
  return { status, stdout };
}

describe('The check written out in docs/receipts.md', () => {
  test('proves the value of a kept receipt after the forget', () => {
    expect(check(receipt(true))).toMatchObject({ status: 0, stdout: expect.stringMatching(/^proved: lacto,/) });
  });

  test('proves nothing of another value, and nothing of a receipt that opens nothing', () => {
    const sound = receipt(true);
    const forged = { ...sound, 'local:opening': { ...(sound['local:opening'] as JsonLd), value: 'vegan' } };
    for (const document of [forged, receipt(false)]) {
      expect(check(document)).toStrictEqual({ status: 1, stdout: 'not proved\n' });
    }
  });
});
