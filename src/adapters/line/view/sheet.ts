/**
 * One answer put into words, and those words as LINE messages: a card, and a text that says and offers the same.
 * @module
 */
import type { messagingApi } from '@line/bot-sdk';
import type { Entry } from '../../../commands/entries.ts';
import { encodePostback } from '../postback.ts';
import { LIMITS, LineLimitExceeded } from './limits.ts';

/** A button: what is tapped, what it does, and what the chat shows as said (never a token). */
export type Button = {
  readonly label: string;
  /** `open`: the person's own page, the only address a button opens. */
  readonly does: Entry | { readonly say: string } | { readonly open: string };
  readonly displayText?: string;
};

export type Sheet = {
  readonly title: string;
  /** The facts, a paragraph each, in the order they are told. */
  readonly lines: readonly string[];
  readonly buttons: readonly Button[];
  /** What can be typed instead of tapping; null where there is nothing to tap. */
  readonly typing: string | null;
  /** What a card says when the facts are too long for it and stand in the text message above. */
  readonly summary?: string;
};

/** Colours as pairs of text on ground, at least 4.5:1 (WCAG AA). The button's text colour is LINE's for this style. */
export const COLOURS = { ground: '#FFFFFF', text: '#111111', hint: '#555555', button: '#E4E8EB' } as const;

/** From this many buttons on they stand three in a row. */
const BUTTONS_IN_COLUMN_MAX = 7;
const BUTTONS_IN_ROW = 3;

/**
 * The messages of one sheet. If everything fits the alt text, one card whose alt text is its twin; else the twin as text
 * messages followed by a card with the buttons.
 * @throws LineLimitExceeded for a paragraph longer than a message; RangeError for a button without postback data.
 */
export function toMessages(sheet: Sheet): messagingApi.Message[] {
  const twin = [sheet.title, ...sheet.lines, ...waysOn(sheet)];
  if (sheet.buttons.length === 0) return textMessages(twin);
  const altText = twin.join('\n');
  if (altText.length <= LIMITS.altTextUnits) return [card(sheet, sheet.lines, altText)];
  const summary = sheet.summary ?? '完整內容在上面的文字訊息。';
  return [...textMessages(twin), card(sheet, [summary], [sheet.title, summary, ...waysOn(sheet)].join('\n'))];
}

function waysOn({ buttons, typing }: Sheet): string[] {
  const labels = buttons.map(({ label }) => label).join('／');
  return [...(labels === '' ? [] : [`按鈕：${labels}`]), ...(typing === null ? [] : [typing])];
}

/** Paragraphs as few text messages; a paragraph is never divided. */
function textMessages(paragraphs: readonly string[]): messagingApi.TextMessage[] {
  const texts: string[] = [];
  for (const paragraph of paragraphs) {
    if (paragraph.length > LIMITS.textUnits) throw new LineLimitExceeded('paragraph: longer than a text message');
    const joined = texts.length === 0 ? paragraph : `${texts.at(-1)}\n\n${paragraph}`;
    if (texts.length > 0 && joined.length <= LIMITS.textUnits) texts[texts.length - 1] = joined;
    else texts.push(paragraph);
  }
  return texts.map((text) => ({ type: 'text', text }));
}

function card(sheet: Sheet, lines: readonly string[], altText: string): messagingApi.FlexMessage {
  return {
    type: 'flex',
    altText,
    contents: {
      type: 'bubble',
      size: 'mega',
      body: {
        type: 'box',
        layout: 'vertical',
        spacing: 'md',
        backgroundColor: COLOURS.ground,
        contents: [
          { ...textPart(sheet.title, COLOURS.text), size: 'lg', weight: 'bold' },
          ...lines.map((line) => textPart(line, COLOURS.text)),
          ...(sheet.typing === null ? [] : [{ ...textPart(sheet.typing, COLOURS.hint), size: 'sm' }]),
        ],
      },
      footer: {
        type: 'box',
        layout: 'vertical',
        spacing: 'sm',
        backgroundColor: COLOURS.ground,
        contents: buttonRows(sheet.buttons),
      },
    },
  };
}

function textPart(text: string, color: string): messagingApi.FlexText {
  return { type: 'text', text, color, wrap: true, scaling: true };
}

function buttonRows(buttons: readonly Button[]): messagingApi.FlexComponent[] {
  if (buttons.length <= BUTTONS_IN_COLUMN_MAX) return buttons.map(buttonPart);
  const rows: messagingApi.FlexComponent[] = [];
  for (let start = 0; start < buttons.length; start += BUTTONS_IN_ROW) {
    const contents = buttons.slice(start, start + BUTTONS_IN_ROW).map(buttonPart);
    rows.push({ type: 'box', layout: 'horizontal', spacing: 'sm', contents });
  }
  return rows;
}

/** One style for all: neither 同意 nor 先不要 is pushed forward. */
function buttonPart({ label, does, displayText }: Button): messagingApi.FlexButton {
  const action = actionOf(label, does, displayText);
  return { type: 'button', style: 'secondary', color: COLOURS.button, height: 'sm', scaling: true, action };
}

function actionOf(label: string, does: Button['does'], displayText: string | undefined): messagingApi.Action {
  if ('say' in does) return { type: 'message', label, text: does.say };
  if ('open' in does) return { type: 'uri', label, uri: does.open };
  return { type: 'postback', label, data: encodePostback(does), ...(displayText === undefined ? {} : { displayText }) };
}
