/** Draws Flex containers and quick replies as LINE does, near enough to judge a card by. @module */
import { h } from './dom.js';

const SPACE = { none: '0px', xs: '2px', sm: '4px', md: '8px', lg: '12px', xl: '16px', xxl: '20px' };
const TEXT = {
  xxs: 11,
  xs: 13,
  sm: 14,
  md: 16,
  lg: 19,
  xl: 22,
  xxl: 29,
  '3xl': 35,
  '4xl': 48,
  '5xl': 74,
};
const WIDTH = { nano: 120, micro: 160, deca: 220, hecto: 241, kilo: 260, mega: 300, giga: 386 };
const ALIGN = { start: 'left', center: 'center', end: 'right' };
const GRAVITY = { top: 'flex-start', center: 'center', bottom: 'flex-end' };
const BLOCK = { layout: 'vertical' };
const BLOCKS = ['header', 'hero', 'body', 'footer'];

/**
 * Draws the `contents` of a Flex message.
 * @param onTap called with the JSON pointer of the action and the action.
 */
export function drawFlex(contents, onTap) {
  const at = '/contents';
  if (contents.type !== 'carousel') return drawBubble(contents, at, onTap);
  return h(
    'div',
    { class: 'carousel', tabindex: '0', role: 'group', 'aria-label': `${contents.contents.length} 張卡片，可左右捲動` },
    contents.contents.map((bubble, index) => drawBubble(bubble, `${at}/contents/${index}`, onTap)),
  );
}

function drawBubble(bubble, at, onTap) {
  const blocks = BLOCKS.filter((name) => bubble[name] !== undefined).map((name) => {
    const style = bubble.styles?.[name] ?? {};
    const block = h(
      'div',
      { class: `block ${name}`, style: { backgroundColor: style.backgroundColor ?? '' } },
      drawComponent(bubble[name], `${at}/${name}`, BLOCK, 0, onTap),
    );
    if (style.separator) block.classList.add('separated');
    return block;
  });
  return h('div', { class: 'bubble', style: { width: `${WIDTH[bubble.size ?? 'mega']}px` } }, blocks);
}

function drawComponent(component, at, box, index, onTap) {
  const element =
    DRAW[component.type]?.(component, at, onTap) ?? h('span', { class: 'unknown' }, `〔${component.type}〕`);
  place(element, component, box, index);
  if (component.action !== undefined && component.type !== 'button') makeTappable(element, component.action, at, onTap);
  return element;
}

const DRAW = {
  box(box, at, onTap) {
    const element = h('div', { class: `box ${box.layout}` });
    const gap = SPACE[box.spacing] ?? box.spacing ?? '';
    Object.assign(element.style, {
      gap,
      backgroundColor: box.backgroundColor ?? '',
      borderRadius: SPACE[box.cornerRadius] ?? box.cornerRadius ?? '',
      border:
        box.borderColor || box.borderWidth ? `${lineWidth(box.borderWidth)} solid ${box.borderColor ?? '#000'}` : '',
      padding: SPACE[box.paddingAll] ?? box.paddingAll ?? '',
      width: box.width ?? '',
      maxWidth: box.maxWidth ?? '',
      height: box.height ?? '',
      justifyContent: box.justifyContent ?? '',
      alignItems: box.alignItems ?? '',
    });
    const sides = {
      paddingTop: 'paddingTop',
      paddingBottom: 'paddingBottom',
      paddingStart: 'paddingLeft',
      paddingEnd: 'paddingRight',
    };
    for (const [name, css] of Object.entries(sides))
      if (box[name] !== undefined) element.style[css] = SPACE[box[name]] ?? box[name];
    element.append(
      ...box.contents.map((child, index) => drawComponent(child, `${at}/contents/${index}`, box, index, onTap)),
    );
    return element;
  },
  text(text) {
    const element = h('p', { class: text.wrap ? 'text wrap' : 'text' });
    styleText(element, text);
    element.style.textAlign = ALIGN[text.align] ?? '';
    if (text.lineSpacing) element.style.lineHeight = `calc(1.35em + ${text.lineSpacing})`;
    if (text.maxLines) {
      element.classList.add('clamped');
      element.style.webkitLineClamp = String(text.maxLines);
    }
    if (text.contents?.length > 0)
      element.append(...text.contents.map((span) => styleText(h('span', {}, span.text), span)));
    else element.append(text.text);
    return element;
  },
  button(button, at, onTap) {
    const style = button.style ?? 'link';
    const element = h(
      'button',
      {
        type: 'button',
        class: `flex-button ${style} ${button.height ?? 'md'}`,
        data: { key: at },
        onclick: () => onTap(`${at}/action`, button.action),
      },
      button.action.label ?? '',
    );
    if (button.color) element.style[style === 'link' ? 'color' : 'backgroundColor'] = button.color;
    return element;
  },
  separator: (separator) => h('hr', { style: { borderColor: separator.color ?? '' } }),
  filler: () => h('div', { class: 'filler' }),
  spacer: (spacer) => h('div', { style: { height: SPACE[spacer.size ?? 'md'] } }),
  image: (image) =>
    h('div', { class: 'image', role: 'img', 'aria-label': '圖片（模擬器不連外）' }, `圖片 ${hostOf(image.url)}`),
  icon: () => h('span', { class: 'icon-mark', 'aria-hidden': 'true' }, '▪'),
};

function styleText(element, text) {
  const size = TEXT[text.size ?? 'md'];
  Object.assign(element.style, {
    fontSize: size === undefined ? text.size : `${size / 16}rem`,
    color: text.color ?? '',
    fontWeight: text.weight === 'bold' ? '700' : '',
    fontStyle: text.style === 'italic' ? 'italic' : '',
    textDecoration: text.decoration ?? '',
  });
  return element;
}

/** Where a component stands in its box: its share, its gravity, and its own gap to the one before, instead of the box's. */
function place(element, component, { layout, spacing }, index) {
  const share = component.flex ?? (layout === 'vertical' || component.type === 'icon' ? 0 : 1);
  if (component.type !== 'filler' || component.flex !== undefined)
    element.style.flex = share === 0 ? '0 0 auto' : `${share} 1 0`;
  if (layout !== 'vertical') element.style.minWidth = '0';
  if (component.margin !== undefined && index > 0) {
    const side = layout === 'vertical' ? 'marginTop' : 'marginLeft';
    element.style[side] = `calc(${lengthOf(component.margin)} - ${lengthOf(spacing ?? 'none')})`;
  }
  if (component.gravity !== undefined && layout === 'horizontal') element.style.alignSelf = GRAVITY[component.gravity];
}

/** A size word of LINE, or a length as it stands. */
function lengthOf(size) {
  return SPACE[size] ?? size;
}

function makeTappable(element, action, at, onTap) {
  const press = () => onTap(`${at}/action`, action);
  element.classList.add('tappable');
  element.tabIndex = 0;
  element.setAttribute('role', 'button');
  if (action.label) element.setAttribute('aria-label', action.label);
  element.addEventListener('click', press);
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    press();
  });
}

function lineWidth(width) {
  return { light: '1px', normal: '1px', medium: '2px', 'semi-bold': '3px', bold: '4px' }[width] ?? width ?? '1px';
}

function hostOf(url) {
  return URL.parse(url)?.host ?? '';
}

/** Every action of a message with its pointer and label, in reading order. */
export function actionsOf(message) {
  const found = [];
  const walk = (value, at) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === 'action' && typeof member?.type === 'string')
        found.push({ pointer: `${at}/action`, action: member });
      else walk(member, `${at}/${name}`);
    }
  };
  walk(message.contents, '/contents');
  walk(message.quickReply, '/quickReply');
  return found;
}
