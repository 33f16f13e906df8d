import { describe, expect, it } from 'vitest';
import { isLocation, straightLineMetres } from '../../../src/adapters/catalog/straight-line.ts';

const point = (latitude: number, longitude: number) => ({ latitude, longitude });

describe('straight-line metres', () => {
  it.each([
    ['the same point', point(24, 120.5), point(24, 120.5), 0],
    ['one degree along the equator', point(0, 0), point(0, 1), 111_195],
    ['one degree of latitude', point(24, 120), point(25, 120), 111_195],
    ['one degree of longitude at 60° N, about half', point(60, 0), point(60, 1), 55_597],
    ['the other side of the Earth', point(0, 0), point(0, 180), 20_015_115],
    ['across the date line', point(0, 179.5), point(0, -179.5), 111_195],
  ])('over %s', (_, from, to, metres) => {
    expect(Math.abs(straightLineMetres(from, to) - metres)).toBeLessThanOrEqual(1);
    expect(straightLineMetres(to, from)).toBe(straightLineMetres(from, to));
  });

  it.each([
    [90, 180, true],
    [90.1, 0, false],
    [0, -180.1, false],
    [Number.NaN, 0, false],
  ])('from %d, %d: a point on the Earth is %s', (latitude, longitude, is) => {
    expect(isLocation(point(latitude, longitude))).toBe(is);
  });
});
