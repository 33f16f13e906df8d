/**
 * How far two points are apart as the crow flies; not the way to walk.
 * @module
 */
import type { Location } from '../../commands/catalog.ts';

/** The mean radius of the Earth, metres. */
const EARTH_RADIUS_METRES = 6_371_009;

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Great-circle metres between two points (haversine), rounded to whole metres. */
export function straightLineMetres(from: Location, to: Location): number {
  const halfLatitude = Math.sin(radians(to.latitude - from.latitude) / 2);
  const halfLongitude = Math.sin(radians(to.longitude - from.longitude) / 2);
  const chord =
    halfLatitude ** 2 + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * halfLongitude ** 2;
  return Math.round(2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(chord))));
}

/** Whether the numbers are a point on the Earth. */
export function isLocation(point: Location): boolean {
  // Written so that NaN is refused.
  return Math.abs(point.latitude) <= 90 && Math.abs(point.longitude) <= 180;
}
