import { describe, expect, test } from 'vitest';
import { COLOURS } from '../../../../src/adapters/line/view/sheet.ts';
import { compose } from '../../../../src/adapters/line/view/view.ts';
import { cardTexts, EVERY_ANSWER } from './answer-samples.ts';

const context = { buildId: 'build-1' };

describe('Colours', () => {
  test.each([
    ['text on the card', COLOURS.text, COLOURS.ground],
    ['a hint on the card', COLOURS.hint, COLOURS.ground],
    ['the label of a button', COLOURS.text, COLOURS.button],
  ])('of %s have a contrast of at least 4.5:1', (_, front, ground) => {
    expect(contrast(front, ground)).toBeGreaterThanOrEqual(4.5);
  });

  test('of every text are literal', () => {
    for (const answer of EVERY_ANSWER) {
      for (const { color } of cardTexts(compose(answer, context)))
        expect([COLOURS.text, COLOURS.hint]).toContain(color);
    }
  });
});

/** WCAG 2 contrast of two #RRGGBB colours. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
