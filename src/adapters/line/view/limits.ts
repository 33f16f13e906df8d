/**
 * LINE's limits on messages, the check that nothing leaves above them, and how foreign text is made fit to be shown.
 * @module
 */
import type { messagingApi } from '@line/bot-sdk';
import { OWN_PAGE_PATH } from '../../../commands/own-link.ts';
import { decodePostback, POSTBACK_LENGTH_MAX } from '../postback.ts';

/**
 * Bounds, some below LINE's own for safety. Text, alt text and postback data count UTF-16 units; labels, displayText and
 * the text of a message action count grapheme clusters (LINE's reference, "character counting").
 */
export const LIMITS = {
  messages: 5,
  textUnits: 4_500,
  altTextUnits: 400,
  bubbleBytes: 24_000,
  labelGraphemes: 20,
  actionTextGraphemes: 300,
  uriUnits: 1_000,
} as const;

/** A message that LINE would refuse, or that could be misread. The message names the place and the rule, no content. */
export class LineLimitExceeded extends Error {
  override readonly name = 'LineLimitExceeded';
}

const segmenter = new Intl.Segmenter('zh-TW', { granularity: 'grapheme' });

/** Controls, format characters (bidi overrides, zero width, tags), private use, lone surrogates; a joiner only within an emoji. */
const HIDDEN =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|(?!\u200d)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The number of grapheme clusters of a text. */
function graphemes(text: string): number {
  return [...segmenter.segment(text)].length;
}

/**
 * Foreign text as one line that can be shown beside ours: white space folded, hidden characters removed, cut on a whole
 * character with … at `unitsMax` UTF-16 units.
 */
export function plain(text: string, unitsMax: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim();
  if (line.length <= unitsMax) return line;
  let kept = '';
  for (const { segment } of segmenter.segment(line)) {
    if (kept.length + segment.length > unitsMax - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * Gives the messages back if LINE takes every one of them.
 * @throws LineLimitExceeded naming the first rule that does not hold. Nothing is ever cut here: a cut token is no token.
 */
export function withinLimits(messages: readonly messagingApi.Message[]): messagingApi.Message[] {
  demand(messages.length <= LIMITS.messages, 'messages', `at most ${LIMITS.messages} messages`);
  messages.forEach((message, index) => checkMessage(message, `messages[${index}]`));
  return [...messages];
}

function demand(holds: boolean, path: string, rule: string): asserts holds {
  if (!holds) throw new LineLimitExceeded(`${path}: ${rule}`);
}

function checkVisible(text: string, path: string): void {
  demand(text.trim() !== '', path, 'not empty');
  demand(text.replaceAll('\n', '').search(HIDDEN) === -1, path, 'no hidden characters');
}

function checkMessage(message: messagingApi.Message, path: string): void {
  if (message.type === 'text') {
    const { text } = message;
    checkVisible(text, `${path}.text`);
    demand(text.length <= LIMITS.textUnits, `${path}.text`, `at most ${LIMITS.textUnits} units`);
    return;
  }
  demand(message.type === 'flex', path, 'text or flex');
  const { altText, contents } = message;
  checkVisible(altText, `${path}.altText`);
  demand(altText.length <= LIMITS.altTextUnits, `${path}.altText`, `at most ${LIMITS.altTextUnits} units`);
  demand(contents.type === 'bubble', `${path}.contents`, 'one bubble');
  const bytes = Buffer.byteLength(JSON.stringify(contents));
  demand(bytes <= LIMITS.bubbleBytes, `${path}.contents`, `at most ${LIMITS.bubbleBytes} bytes`);
  const { body, footer } = contents;
  if (body !== undefined) checkComponent(body, `${path}.body`);
  if (footer !== undefined) checkComponent(footer, `${path}.footer`);
}

function checkComponent(component: messagingApi.FlexComponent, path: string): void {
  switch (component.type) {
    case 'box':
      component.contents.forEach((part, index) => checkComponent(part, `${path}[${index}]`));
      return;
    case 'text': {
      const { text, wrap } = component;
      checkVisible(text ?? '', path);
      demand(wrap === true, path, 'text wraps');
      return;
    }
    default:
      demand(component.type === 'button', path, 'box, text or button');
      checkAction(component.action, path);
  }
}

function checkAction(action: messagingApi.Action, path: string): void {
  const label = action.label ?? '';
  checkVisible(label, `${path}.label`);
  demand(graphemes(label) <= LIMITS.labelGraphemes, `${path}.label`, `at most ${LIMITS.labelGraphemes} characters`);
  if (action.type === 'message') {
    checkActionText(action.text ?? '', `${path}.text`);
    return;
  }
  if (action.type === 'uri') {
    demand(opensOwnPage(action.uri ?? ''), `${path}.uri`, "the person's own page, over https or on this machine");
    return;
  }
  demand(action.type === 'postback', path, 'postback, message or uri action');
  const { data, displayText } = action;
  demand((data ?? '').length <= POSTBACK_LENGTH_MAX, `${path}.data`, `at most ${POSTBACK_LENGTH_MAX} units`);
  demand(decodePostback(data ?? '') !== null, `${path}.data`, 'data we read back');
  if (displayText !== undefined) checkActionText(displayText, `${path}.displayText`);
}

/** The only address a button may open. */
function opensOwnPage(uri: string): boolean {
  if (uri.length > LIMITS.uriUnits || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password, pathname, search, hash, href } = new URL(uri);
  const safe =
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
  const plainAddress = username + password + search + hash === '' && href === uri;
  return safe && plainAddress && new RegExp(`^${OWN_PAGE_PATH}/[A-Za-z0-9._-]+$`).test(pathname);
}

function checkActionText(text: string, path: string): void {
  checkVisible(text, path);
  demand(graphemes(text) <= LIMITS.actionTextGraphemes, path, `at most ${LIMITS.actionTextGraphemes} characters`);
}
