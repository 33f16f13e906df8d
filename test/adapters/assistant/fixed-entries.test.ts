import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedEntry } from '../../../src/adapters/assistant/fixed-entries.ts';
import type { Entry } from '../../../src/commands/entries.ts';

const menu: Entry = { entry: 'menu' };
const inspect: Entry = { entry: 'inspect' };
const explain: Entry = { entry: 'explain' };
const forget: Entry = { entry: 'forget', scope: 'purpose' };
const forgetAll: Entry = { entry: 'forget', scope: 'all' };
const update: Entry = { entry: 'update' };
const request: Entry = { entry: 'service_request' };
const bareYes: Entry = { entry: 'bare_yes' };
const retry: Entry = { entry: 'retry_guide' };

const groups: readonly (readonly [string, Entry, readonly string[]])[] = [
  [
    'the menu',
    menu,
    ['我要預約', '預約', '幫我預約', '我想預約', '功能', '你好', '開始', '使用說明', '其他功能', 'local ping'],
  ],
  ['what is remembered', inspect, ['我的偏好', '查看飲食偏好', '我記住了什麼', '你記得我什麼？', '你有幫我記住嗎']],
  ['why it was used', explain, ['為什麼你知道', '為什麼你知道？', '你怎麼知道', '你怎麼知道?']],
  [
    "the person's own record",
    { entry: 'my_records' },
    ['我的紀錄', '我的記錄', '我的紀錄。', '我的纪录', '我的记录', ' 我的 紀錄 '],
  ],
  ['a receipt', { entry: 'my_receipt' }, ['給我收據', '收據', '给我收据', '給我收據！']],
  [
    'forgetting the preference',
    forget,
    [
      '忘記我的飲食偏好',
      '刪除我的飲食偏好',
      '撤回我的飲食偏好',
      '忘記偏好',
      '撤回同意',
      '撤回我的同意',
      '我要撤回同意',
    ],
  ],
  ['forgetting everything', forgetAll, ['忘記全部', '忘記全部。', '忘記 全部！']],
  ['changing the preference', update, ['更正偏好', '更正我的偏好']],
  ['events', { entry: 'events' }, ['查活動', '查活動。']],
  ['choosing a township', { entry: 'choose_area', page: 0 }, ['查蔬食', '換個鄉鎮查詢']],
  ['asking again', retry, ['重新輸入查詢條件', '重新輸入條件', '稍後重新查詢']],
  [
    'a service request',
    request,
    [
      '查詢原單',
      '剛才那單有成功嗎？',
      '我剛才送出的單進度如何？',
      '文字版',
      '目前任務文字版',
      '需要手語志工支援',
      '留下服務詢問',
    ],
  ],
  [
    'a service request with its text',
    request,
    ['需要協助：輪椅：借用', '需要協助: 帶路', '新需求：便當', '新需求:便當', '查詢原單：A'],
  ],
  [
    'a bare yes or no, which decides nothing',
    bareYes,
    ['好', '好啊', '確認', '確認送出', '同意', '同意記住', '確認忘記', '先不要', 'OK', '好！'],
  ],
  [
    'the text of a card, typed or pasted, which decides nothing',
    bareYes,
    [
      '是否同意記住？\n蔬食（未指定細類）\n同意記住',
      '同意後，LOCAL 會替這個帳號記住上面這一項',
      '全素 同意記住 先不要',
    ],
  ],
];

describe('a fixed typed text', () => {
  describe.each(groups)('asks for %s', (_title, entry, texts) => {
    it.each(texts)('%s', (text) => {
      expect(fixedEntry(text)).toStrictEqual(entry);
    });
  });

  it.each([
    ['full width and spaces', '　ＬＯＣＡＬ　ｐｉｎｇ　', menu],
    ['simplified characters', '我的偏好', inspect],
    ['simplified characters', '忘记我的饮食偏好', forget],
    ['invisible characters', '忘\u200b記全部\ufeff', forgetAll],
  ] as const)('is the same with %s', (_title, text, entry) => {
    expect(fixedEntry(text)).toStrictEqual(entry);
  });

  it.each(['忘記全部？', '忘記全部?!', '忘記我的飲食偏好？', '刪除我的飲食偏好 ?', '撤回同意？'])(
    'forgets nothing when it is a question: %s',
    (text) => {
      expect(fixedEntry(text)).toBeNull();
    },
  );

  it.each([
    '花壇有什麼素食店？',
    '以後優先找蔬食，幫我記住',
    '同意記住全素',
    '不要忘記全部',
    '我想忘記全部的煩惱',
    '我的偏好改成全素',
    '幫我讀文件：全素',
    '讀文件：忘記全部',
    '讀文件：同意記住 先不要',
    'LOCAL 文件測試',
    '我需要協助',
    '查詢原單位',
    '',
    '？',
  ])('is not %s, which a router reads', (text) => {
    expect(fixedEntry(text)).toBeNull();
  });

  it('never throws, and never approves, cancels or chooses a value (seed 1414)', () => {
    const pieces = fc.constantFrom(
      '同意',
      '記住',
      '忘記',
      '全部',
      '？',
      ' ',
      '好',
      '需要協助：',
      '\u202e',
      '\ud83d',
      '讀文件：',
    );
    const typed = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const entry = fixedEntry(text)?.entry;
        expect(['approve', 'cancel', 'choose_value', 'places', 'welcome']).not.toContain(entry);
      }),
      { seed: 1414, numRuns: 500 },
    );
  });
});
