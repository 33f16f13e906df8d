/**
 * What LINE refuses in the messages of a reply or push, and the error body it answers with.
 * @module
 */
import { actionFaults, type Detail, flexFaults, isFields } from './flex-limits.ts';
import { lengthOf } from './text-lengths.ts';

/** LINE's error body. */
export type LineError = {
  readonly message: string;
  readonly details?: readonly Detail[];
  readonly sentMessages?: readonly { readonly id: string }[];
};

type Fields = Readonly<Record<string, unknown>>;

export const MESSAGES_MAX = 5;
export const TEXT_MAX = 5_000;
export const ALT_TEXT_MAX = 1_500;
export const QUICK_REPLIES_MAX = 13;
const TYPES = [
  'text',
  'textV2',
  'image',
  'video',
  'audio',
  'location',
  'sticker',
  'template',
  'imagemap',
  'flex',
  'coupon',
];

/**
 * Checks the `messages` of a request.
 * @returns LINE's error body, or null when LINE would take them. Faults of the request are counted in one body; a fault
 *   inside a Flex or template message names that message, as LINE does.
 */
export function messagesError(messages: unknown): LineError | null {
  if (!Array.isArray(messages) || messages.length < 1 || messages.length > MESSAGES_MAX)
    return requestError([{ message: `Size must be between 1 and ${MESSAGES_MAX}`, property: 'messages' }]);
  const faults = messages.flatMap((message: unknown, index) => outerFaults(message, `messages[${index}]`));
  if (faults.length > 0) return requestError(faults);
  for (const [index, message] of messages.entries()) {
    const details = innerFaults(message as Fields);
    if (details.length > 0)
      return { message: `A message (messages[${index}]) in the request body is invalid`, details };
  }
  return null;
}

/** The body for faults of the request as a whole. */
export function requestError(details: readonly Detail[]): LineError {
  return { message: `The request body has ${details.length} error(s)`, details };
}

function outerFaults(message: unknown, at: string): readonly Detail[] {
  if (!isFields(message) || !TYPES.includes(String(message.type)))
    return [{ message: `Must be one of the following values: [${TYPES.join(', ')}]`, property: `${at}.type` }];
  const faults: Detail[] = [];
  if (message.type === 'text' || message.type === 'textV2')
    faults.push(...lengthFaults(message.text, TEXT_MAX, `${at}.text`));
  if (message.type === 'flex' || message.type === 'template' || message.type === 'imagemap')
    faults.push(...lengthFaults(message.altText, ALT_TEXT_MAX, `${at}.altText`));
  if (message.quickReply !== undefined) faults.push(...quickReplyFaults(message.quickReply, `${at}.quickReply`));
  const sender = isFields(message.sender) ? message.sender.name : undefined;
  if (sender !== undefined) faults.push(...lengthFaults(sender, 20, `${at}.sender.name`));
  return faults;
}

function lengthFaults(text: unknown, max: number, property: string): readonly Detail[] {
  if (typeof text !== 'string' || text === '') return [{ message: 'May not be empty', property }];
  return text.length > max ? [{ message: `Length must be between 0 and ${max}`, property }] : [];
}

function quickReplyFaults(quickReply: unknown, at: string): readonly Detail[] {
  const items = isFields(quickReply) ? quickReply.items : undefined;
  if (!Array.isArray(items) || items.length < 1 || items.length > QUICK_REPLIES_MAX)
    return [{ message: `Size must be between 1 and ${QUICK_REPLIES_MAX}`, property: `${at}.items` }];
  return items.flatMap((item: unknown, index) =>
    actionFaults(
      isFields(item) ? item.action : undefined,
      `${at}.items[${index}].action`,
      { max: 20, required: true },
      '.',
      'Length',
    ),
  );
}

function innerFaults(message: Fields): readonly Detail[] {
  if (message.type === 'flex') return flexFaults(message.contents);
  if (message.type === 'template') return templateFaults(message.template);
  return [];
}

function templateFaults(template: unknown): readonly Detail[] {
  if (!isFields(template)) return [{ message: 'must be specified', property: 'template' }];
  if (template.type !== 'buttons' && template.type !== 'confirm') return [];
  const roomy = template.title === undefined && template.thumbnailImageUrl === undefined;
  const textMax = template.type === 'confirm' ? 240 : roomy ? 160 : 60;
  const actionsMax = template.type === 'confirm' ? 2 : 4;
  const faults: Detail[] = [];
  if (typeof template.text !== 'string' || template.text === '' || lengthOf(template.text, 'graphemes') > textMax)
    faults.push({ message: `size must be between 1 and ${textMax}`, property: 'template/text' });
  const actions = template.actions;
  if (!Array.isArray(actions) || actions.length < 1 || actions.length > actionsMax)
    faults.push({ message: `size must be between 1 and ${actionsMax}`, property: 'template/actions' });
  else
    actions.forEach((action: unknown, index) => {
      faults.push(...actionFaults(action, `template/actions/${index}`, { max: 20, required: true }, '/', 'size'));
    });
  return faults;
}
