/**
 * What LINE refuses in a Flex container, with LINE's way of pointing at it (a JSON pointer into the container).
 *
 * Limits: LINE's reference for Flex messages and action objects. Where LINE's wording of a detail is not published, the
 * detail here is our own and only status and pointer are to be relied on.
 * @module
 */
import { type Counting, lengthOf } from './text-lengths.ts';

export type Detail = { readonly message: string; readonly property: string };
type Fields = Readonly<Record<string, unknown>>;

/** JSON bytes. */
export const BUBBLE_BYTES_MAX = 30 * 1024;
export const CAROUSEL_BYTES_MAX = 50 * 1024;
export const CAROUSEL_BUBBLES_MAX = 12;

const POSITIONED = 'type flex margin position offsetTop offsetBottom offsetStart offsetEnd'.split(' ');
const PADDED = 'paddingAll paddingTop paddingBottom paddingStart paddingEnd'.split(' ');
const FONT = 'size color weight style decoration scaling'.split(' ');
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  box: [
    ...POSITIONED,
    ...PADDED,
    ...'layout contents spacing backgroundColor borderColor borderWidth cornerRadius width maxWidth height maxHeight justifyContent alignItems background action'.split(
      ' ',
    ),
  ],
  button: [...POSITIONED, ...'action height style color gravity adjustMode scaling'.split(' ')],
  text: [
    ...POSITIONED,
    ...FONT,
    ...'text contents adjustMode align gravity wrap lineSpacing maxLines action'.split(' '),
  ],
  span: ['type', 'text', 'size', 'color', 'weight', 'style', 'decoration'],
  image: [...POSITIONED, ...'url align gravity size aspectRatio aspectMode backgroundColor action animated'.split(' ')],
  icon: [...POSITIONED, 'url', 'size', 'aspectRatio', 'scaling'],
  separator: ['type', 'margin', 'color'],
  filler: ['type', 'flex'],
  spacer: ['type', 'size'],
};
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  vertical: ['box', 'button', 'text', 'image', 'separator', 'filler', 'spacer'],
  horizontal: ['box', 'button', 'text', 'image', 'separator', 'filler', 'spacer'],
  baseline: ['text', 'icon', 'filler', 'spacer'],
};
const BUBBLE = ['type', 'size', 'direction', 'header', 'hero', 'body', 'footer', 'styles', 'action'];
const BUBBLE_SIZES = ['nano', 'micro', 'deca', 'hecto', 'kilo', 'mega', 'giga'];
const INVALID = 'invalid property';

/**
 * Checks the `contents` of a Flex message.
 * @returns every fault found; empty when LINE would take it.
 */
export function flexFaults(container: unknown): readonly Detail[] {
  if (!isFields(container)) return [{ message: 'must be specified', property: '/' }];
  if (container.type === 'bubble') return bubbleFaults(container, '');
  if (container.type !== 'carousel') return [{ message: INVALID, property: '/type' }];
  return carouselFaults(container);
}

function carouselFaults(carousel: Fields): readonly Detail[] {
  const bubbles = carousel.contents;
  if (!Array.isArray(bubbles) || bubbles.length < 1 || bubbles.length > CAROUSEL_BUBBLES_MAX)
    return [{ message: `size must be between 1 and ${CAROUSEL_BUBBLES_MAX}`, property: '/contents' }];
  const faults = [...unknownProperties(carousel, ['type', 'contents'], ''), ...tooLarge(carousel, CAROUSEL_BYTES_MAX)];
  bubbles.forEach((bubble: unknown, index) => {
    const at = `/contents/${index}`;
    if (!isFields(bubble) || bubble.type !== 'bubble') faults.push({ message: INVALID, property: `${at}/type` });
    else faults.push(...bubbleFaults(bubble, at));
    if (isFields(bubble) && sizeOf(bubble) !== sizeOf(bubbles[0]))
      faults.push({ message: 'all bubbles must have the same size', property: `${at}/size` });
  });
  return faults;
}

function sizeOf(bubble: unknown): unknown {
  return isFields(bubble) ? (bubble.size ?? 'mega') : undefined;
}

function bubbleFaults(bubble: Fields, at: string): readonly Detail[] {
  const faults = [...unknownProperties(bubble, BUBBLE, at), ...tooLarge(bubble, BUBBLE_BYTES_MAX, at)];
  const blocks = ['header', 'hero', 'body', 'footer'].filter((name) => bubble[name] !== undefined);
  if (blocks.length === 0) faults.push({ message: 'At least one block must be specified', property: at || '/' });
  if (bubble.size !== undefined && !BUBBLE_SIZES.some((size) => size === bubble.size))
    faults.push({ message: INVALID, property: `${at}/size` });
  for (const name of blocks)
    faults.push(...componentFaults(bubble[name], `${at}/${name}`, name === 'hero' ? ['box', 'image'] : ['box']));
  return faults;
}

function componentFaults(component: unknown, at: string, allowed: readonly string[]): readonly Detail[] {
  if (!isFields(component)) return [{ message: INVALID, property: at }];
  const type = String(component.type);
  if (!allowed.includes(type)) return [{ message: INVALID, property: `${at}/type` }];
  const faults = [...unknownProperties(component, PROPERTIES[type] ?? [], at), ...colorFaults(component, at)];
  if (type === 'box') faults.push(...boxFaults(component, at));
  if (type === 'text') faults.push(...textFaults(component, at));
  if (type === 'span' && !isText(component.text)) faults.push({ message: INVALID, property: `${at}/text` });
  if ((type === 'image' || type === 'icon') && !/^https:\/\/.{1,1992}$/.test(String(component.url)))
    faults.push({ message: 'invalid uri scheme', property: `${at}/url` });
  if (type === 'button' && component.action === undefined)
    faults.push({ message: 'must be specified', property: `${at}/action` });
  if (component.action !== undefined)
    faults.push(
      ...actionFaults(component.action, `${at}/action`, { max: 40, required: type === 'button' }, '/', 'size'),
    );
  return faults;
}

function boxFaults(box: Fields, at: string): readonly Detail[] {
  const allowed = INSIDE[String(box.layout)];
  if (allowed === undefined) return [{ message: INVALID, property: `${at}/layout` }];
  if (!Array.isArray(box.contents)) return [{ message: 'must be specified', property: `${at}/contents` }];
  return box.contents.flatMap((child: unknown, index) => componentFaults(child, `${at}/contents/${index}`, allowed));
}

function textFaults(component: Fields, at: string): readonly Detail[] {
  if (Array.isArray(component.contents) && component.contents.length > 0)
    return component.contents.flatMap((span: unknown, index) =>
      componentFaults(span, `${at}/contents/${index}`, ['span']),
    );
  return isText(component.text) ? [] : [{ message: 'must be non-empty text', property: `${at}/text` }];
}

function colorFaults(component: Fields, at: string): readonly Detail[] {
  return ['color', 'backgroundColor', 'borderColor']
    .filter((name) => component[name] !== undefined)
    .filter((name) => !/^#([0-9a-f]{6}|[0-9a-f]{8})$/i.test(String(component[name])))
    .map((name) => ({ message: INVALID, property: `${at}/${name}` }));
}

function unknownProperties(fields: Fields, known: readonly string[], at: string): readonly Detail[] {
  return Object.keys(fields)
    .filter((name) => !known.includes(name))
    .map((name) => ({ message: INVALID, property: `${at}/${name}` }));
}

function tooLarge(container: Fields, limit: number, at = ''): readonly Detail[] {
  return Buffer.byteLength(JSON.stringify(container)) > limit
    ? [{ message: `JSON must be at most ${limit} bytes`, property: at || '/' }]
    : [];
}

type LabelRule = { readonly max: number; readonly required: boolean };
const ACTION_TEXTS: Readonly<
  Record<string, readonly { name: string; max: number; counting: Counting; required: boolean }[]>
> = {
  postback: [
    { name: 'data', max: 300, counting: 'utf16', required: true },
    { name: 'displayText', max: 300, counting: 'graphemes', required: false },
    { name: 'fillInText', max: 300, counting: 'graphemes', required: false },
    { name: 'text', max: 300, counting: 'graphemes', required: false },
  ],
  message: [{ name: 'text', max: 300, counting: 'graphemes', required: true }],
  uri: [{ name: 'uri', max: 1000, counting: 'utf16', required: true }],
  clipboard: [{ name: 'clipboardText', max: 1000, counting: 'utf16', required: true }],
  datetimepicker: [{ name: 'data', max: 300, counting: 'utf16', required: true }],
  camera: [],
  cameraRoll: [],
  location: [],
};

/**
 * Checks an action object, wherever it stands.
 * @param slash how the place writes a member: `/` in Flex and templates, `.` elsewhere.
 * @param verb LINE says `size must be` in Flex and templates, `Length must be` elsewhere.
 */
export function actionFaults(
  action: unknown,
  at: string,
  label: LabelRule,
  slash: '/' | '.',
  verb: 'size' | 'Length',
): readonly Detail[] {
  if (!isFields(action)) return [{ message: INVALID, property: at }];
  const texts = ACTION_TEXTS[String(action.type)];
  if (texts === undefined) return [{ message: INVALID, property: `${at}${slash}type` }];
  const faults: Detail[] = [];
  const check = (name: string, max: number, counting: Counting, required: boolean) => {
    const text = action[name];
    if (text === undefined && !required) return;
    if (!isText(text)) faults.push({ message: `\`${name}\` must be specified`, property: at });
    else if (lengthOf(text, counting) > max)
      faults.push({ message: `${verb} must be between 0 and ${max}`, property: `${at}${slash}${name}` });
  };
  check('label', label.max, 'graphemes', label.required);
  for (const { name, max, counting, required } of texts) check(name, max, counting, required);
  if (action.displayText !== undefined && action.text !== undefined)
    faults.push({ message: '`displayText` and `text` cannot both be specified', property: at });
  return faults;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether a parsed JSON value is an object with members. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
