import type { Option } from '#shared/polls/schema.ts';

/** A swipe of at least this length votes. Lengths are distances of the finger, not of the card. */
const VOTE_PX = 88;
/**
 * A swipe that ends faster than this is a flick. A flick outwards votes if it is longer than `FLICK_MIN_PX`; a flick back to the
 * middle never votes.
 */
const FLICK_PX_PER_MS = 0.5;
/** A movement shorter than this is not a swipe but a tap with an unsteady finger. */
export const SLOP_PX = 8;
const FLICK_MIN_PX = 2 * SLOP_PX;
/** A touch that starts this close to an edge of the screen is left to the system's back and forward gestures. */
const SYSTEM_EDGE_PX = 24;

/** How far the card moves and tilts, relative to the distance of the finger. */
const FOLLOW_RATIO = 0.35;
const PX_PER_DEGREE = 16;
const TILT_MAX_DEGREES = 7;

/** The spring that moves a released card, with a mass of 1, back to the middle; time is in seconds. */
const STIFFNESS = 520;
const DAMPING = 38;
const FRAME_MS = 1_000 / 60;
const SPRING_MAX_MS = 600;

const optionOf = (distancePx: number): Option => (distancePx < 0 ? 1 : 2);

export function isSystemGesture(x: number, pointerType: string, screenWidth: number): boolean {
  return pointerType === 'touch' && (x < SYSTEM_EDGE_PX || x > screenWidth - SYSTEM_EDGE_PX);
}

/** The option that a slow release at `distancePx` chooses: left is A, right is B; null if that is not far enough. */
export function optionAt(distancePx: number): Option | null {
  return Math.abs(distancePx) < VOTE_PX ? null : optionOf(distancePx);
}

/** The option that a release at `distancePx` chooses; null when the finger was flicked back or has not moved far enough. */
export function releasedOption(distancePx: number, pxPerMs: number): Option | null {
  const outwardSpeed = pxPerMs * Math.sign(distancePx);
  if (outwardSpeed < -FLICK_PX_PER_MS) return null;
  const isFlick = outwardSpeed > FLICK_PX_PER_MS && Math.abs(distancePx) > FLICK_MIN_PX;
  return isFlick ? optionOf(distancePx) : optionAt(distancePx);
}

/** The CSS transform of a card for a distance of the finger. The `transform-origin` must be the lower edge of the card. */
export function transformAt(distancePx: number): string {
  const tilt = Math.max(-TILT_MAX_DEGREES, Math.min(TILT_MAX_DEGREES, distancePx / PX_PER_DEGREE));
  return `translateX(${(distancePx * FOLLOW_RATIO).toFixed(2)}px) rotate(${tilt.toFixed(3)}deg)`;
}

/**
 * The distances, one per frame and to be passed to `transformAt`, at which a damped spring moves a released card from
 * `distancePx` back to 0, starting with the finger's speed.
 */
export function springBack(distancePx: number, pxPerMs: number): { distances: number[]; durationMs: number } {
  const naturalFrequency = Math.sqrt(STIFFNESS);
  const decay = DAMPING / 2;
  const dampedFrequency = Math.sqrt(naturalFrequency ** 2 - decay ** 2);
  const sineAmplitude = (pxPerMs * 1_000 + decay * distancePx) / dampedFrequency;
  const distances: number[] = [];
  for (let ms = 0; ms < SPRING_MAX_MS; ms += FRAME_MS) {
    const seconds = ms / 1_000;
    const oscillation =
      distancePx * Math.cos(dampedFrequency * seconds) + sineAmplitude * Math.sin(dampedFrequency * seconds);
    distances.push(Math.exp(-decay * seconds) * oscillation);
    // At rest: two frames in a row within a pixel of the middle. A card that swings through the middle has at most one.
    if (ms > FRAME_MS && Math.max(...distances.slice(-2).map(Math.abs)) < 1) break;
  }
  distances.push(0);
  return { distances, durationMs: (distances.length - 1) * FRAME_MS };
}

/** The average speed of the finger over `samples`, in pixels per millisecond; 0 if there are too few samples. */
export function speedOf(samples: readonly { x: number; ms: number }[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.ms <= first.ms) return 0;
  return (last.x - first.x) / (last.ms - first.ms);
}
