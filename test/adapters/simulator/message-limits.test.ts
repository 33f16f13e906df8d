/**
 * Goal: what LINE says of each limit holds here: at the bound it is taken, one over it is refused with LINE's body.
 * Method: the real SDK client over a real socket; for each limit one message at the bound and one a step over it.
 */
import type { messagingApi } from '@line/bot-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, outcome, startHost } from './host.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const text = (value: string) => ({ type: 'text', text: value }) as const;

let host: Host;
beforeAll(async () => {
  host = await startHost();
});
afterAll(() => host.close());

const push = (messages: unknown[]) =>
  outcome(host.client.pushMessage({ to: host.userId('A'), messages: messages as messagingApi.Message[] }));

const bubble = (contents: unknown[], more: object = {}) => ({
  type: 'bubble',
  body: { type: 'box', layout: 'vertical', contents },
  ...more,
});
const flex = (contents: unknown, altText = '卡片') => ({ type: 'flex', altText, contents });
const button = (action: object) => flex(bubble([{ type: 'button', action }]));
const postback = (more: object) => button({ type: 'postback', label: '同意', data: 'd', ...more });
const quick = (count: number, label = '是') => ({
  ...text('?'),
  quickReply: {
    items: Array.from({ length: count }, () => ({ type: 'action', action: { type: 'message', label, text: '是' } })),
  },
});
const bytes = (total: number) => {
  const empty = bubble([{ type: 'text', text: '' }]);
  return bubble([{ type: 'text', text: 'x'.repeat(total - JSON.stringify(empty).length) }]);
};
const carousel = (bubbles: unknown[]) => flex({ type: 'carousel', contents: bubbles });
const small = bubble([text('x')]);

describe('a limit is kept at the bound and refused one over it', () => {
  const table: [string, unknown[], unknown[], string, string][] = [
    ['messages', Array(5).fill(text('x')), Array(6).fill(text('x')), 'messages', 'Size must be between 1 and 5'],
    [
      'text in UTF-16 units',
      [text('😀'.repeat(2500))],
      [text(`${'😀'.repeat(2500)}x`)],
      'messages[0].text',
      'Length must be between 0 and 5000',
    ],
    ['text not empty', [text(' ')], [text('')], 'messages[0].text', 'May not be empty'],
    [
      'altText in UTF-16 units',
      [flex(small, 'x'.repeat(1500))],
      [flex(small, 'x'.repeat(1501))],
      'messages[0].altText',
      'Length must be between 0 and 1500',
    ],
    ['quick replies', [quick(13)], [quick(14)], 'messages[0].quickReply.items', 'Size must be between 1 and 13'],
    [
      'quick reply label in graphemes',
      [quick(1, FAMILY.repeat(20))],
      [quick(1, FAMILY.repeat(21))],
      'messages[0].quickReply.items[0].action.label',
      'Length must be between 0 and 20',
    ],
    [
      'quick reply label given',
      [quick(1, 'x')],
      [quick(1, '')],
      'messages[0].quickReply.items[0].action',
      '`label` must be specified',
    ],
    [
      'message type',
      [text('x')],
      [{ type: 'telegram' }],
      'messages[0].type',
      'Must be one of the following values: [text, textV2, image, video, audio, location, sticker, template, imagemap, flex, coupon]',
    ],
  ];
  test.each(table)('%s', async (_name, atBound, over, property, message) => {
    expect((await push(atBound)).status).toBe(200);
    const refused = await push(over);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ message: 'The request body has 1 error(s)', details: [{ message, property }] });
  });

  const inFlex: [string, unknown, unknown, string, string][] = [
    [
      'postback data in UTF-16 units',
      postback({ data: 'x'.repeat(300) }),
      postback({ data: 'x'.repeat(301) }),
      '/body/contents/0/action/data',
      'size must be between 0 and 300',
    ],
    [
      'displayText in graphemes',
      postback({ displayText: FAMILY.repeat(300) }),
      postback({ displayText: FAMILY.repeat(301) }),
      '/body/contents/0/action/displayText',
      'size must be between 0 and 300',
    ],
    [
      'Flex button label in graphemes',
      postback({ label: FAMILY.repeat(40) }),
      postback({ label: FAMILY.repeat(41) }),
      '/body/contents/0/action/label',
      'size must be between 0 and 40',
    ],
    [
      'message action text',
      button({ type: 'message', label: 'x', text: '是'.repeat(300) }),
      button({ type: 'message', label: 'x', text: '是'.repeat(301) }),
      '/body/contents/0/action/text',
      'size must be between 0 and 300',
    ],
    [
      'uri',
      button({ type: 'uri', label: 'x', uri: 'x'.repeat(1000) }),
      button({ type: 'uri', label: 'x', uri: 'x'.repeat(1001) }),
      '/body/contents/0/action/uri',
      'size must be between 0 and 1000',
    ],
    ['bubble bytes', flex(bytes(30 * 1024)), flex(bytes(30 * 1024 + 1)), '/', 'JSON must be at most 30720 bytes'],
    [
      'bubbles in a carousel',
      carousel(Array(12).fill(small)),
      carousel(Array(13).fill(small)),
      '/contents',
      'size must be between 1 and 12',
    ],
    [
      'one size in a carousel',
      carousel([small, { ...small, size: 'mega' }]),
      carousel([small, { ...small, size: 'kilo' }]),
      '/contents/1/size',
      'all bubbles must have the same size',
    ],
    ['a block', flex(small), flex({ type: 'bubble' }), '/', 'At least one block must be specified'],
    ['text of a component', flex(small), flex(bubble([text('')])), '/body/contents/0/text', 'must be non-empty text'],
    [
      'known properties',
      flex(small),
      flex(bubble([{ ...text('x'), colour: '#000000' }])),
      '/body/contents/0/colour',
      'invalid property',
    ],
    [
      'a colour',
      flex(bubble([{ ...text('x'), color: '#0f6B52' }])),
      flex(bubble([{ ...text('x'), color: 'green' }])),
      '/body/contents/0/color',
      'invalid property',
    ],
    [
      'no button in a baseline box',
      flex(bubble([{ type: 'box', layout: 'baseline', contents: [text('x')] }])),
      flex(
        bubble([
          {
            type: 'box',
            layout: 'baseline',
            contents: [{ type: 'button', action: { type: 'message', label: 'x', text: 'x' } }],
          },
        ]),
      ),
      '/body/contents/0/contents/0/type',
      'invalid property',
    ],
    [
      'displayText or text',
      postback({ displayText: 'x' }),
      postback({ displayText: 'x', text: 'x' }),
      '/body/contents/0/action',
      '`displayText` and `text` cannot both be specified',
    ],
  ];
  test.each(inFlex)('Flex: %s', async (_name, atBound, over, property, message) => {
    expect((await push([text('first'), atBound])).status).toBe(200);
    const refused = await push([text('first'), over]);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      message: 'A message (messages[1]) in the request body is invalid',
      details: [{ message, property }],
    });
  });

  const template = (of: object) => ({ type: 'template', altText: 'x', template: of });
  const agree = { type: 'message', label: 'x', text: 'x' };
  const inTemplate: [string, unknown, unknown, string][] = [
    [
      'buttons text',
      { type: 'buttons', text: '是'.repeat(160), actions: [agree] },
      { type: 'buttons', text: '是'.repeat(161), actions: [agree] },
      'template/text',
    ],
    [
      'buttons text beside a title',
      { type: 'buttons', title: 'x', text: '是'.repeat(60), actions: [agree] },
      { type: 'buttons', title: 'x', text: '是'.repeat(61), actions: [agree] },
      'template/text',
    ],
    [
      'buttons actions',
      { type: 'buttons', text: 'x', actions: Array(4).fill(agree) },
      { type: 'buttons', text: 'x', actions: Array(5).fill(agree) },
      'template/actions',
    ],
    [
      'confirm actions',
      { type: 'confirm', text: 'x', actions: Array(2).fill(agree) },
      { type: 'confirm', text: 'x', actions: Array(3).fill(agree) },
      'template/actions',
    ],
    [
      'label of 20',
      { type: 'confirm', text: 'x', actions: [{ ...agree, label: 'x'.repeat(20) }] },
      { type: 'confirm', text: 'x', actions: [{ ...agree, label: 'x'.repeat(21) }] },
      'template/actions/0/label',
    ],
  ];
  test.each(inTemplate)('template: %s', async (_name, atBound, over, property) => {
    expect((await push([template(atBound as object)])).status).toBe(200);
    const refused = await push([template(over as object)]);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ property }] } });
  });
});
