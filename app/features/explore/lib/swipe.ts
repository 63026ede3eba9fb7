import type { Option } from '#shared/polls/schema.ts';

/** A finger that has gone this far votes, wherever the card is by then. */
const VOTE_PX = 88;
/** A shorter swipe that is faster than this when it ends votes, too. */
const FLICK_PX_PER_MS = 0.5;
/** Less than this is a tap with an unsteady finger. */
export const SLOP_PX = 8;
/** A touch that starts this close to an edge of the screen is the system's: back, forward. */
const EDGE_PX = 24;

/** How far the card follows the finger, and how far it tilts. */
const FOLLOWED_SHARE = 0.35;
const PX_PER_DEGREE = 16;
const TILT_MAX_DEGREES = 7;

const STIFFNESS = 520;
const DAMPING = 38;
const FRAME_MS = 1_000 / 60;
const SPRING_MAX_MS = 600;

const optionOf = (distancePx: number): Option => (distancePx < 0 ? 1 : 2);

export function isSystemGesture(x: number, pointerType: string, width: number): boolean {
  return pointerType === 'touch' && (x < EDGE_PX || x > width - EDGE_PX);
}

/** The option that the card leans to: left is A, right is B. */
export function leanOf(distancePx: number): Option | null {
  return Math.abs(distancePx) < VOTE_PX ? null : optionOf(distancePx);
}

/** The option that is chosen by letting go at `distancePx`; null when the finger went back or not far enough. */
export function releasedOption(distancePx: number, pxPerMs: number): Option | null {
  const outwards = pxPerMs * Math.sign(distancePx);
  if (outwards < -FLICK_PX_PER_MS) return null;
  const isFlick = outwards > FLICK_PX_PER_MS && Math.abs(distancePx) > 2 * SLOP_PX;
  return isFlick ? optionOf(distancePx) : leanOf(distancePx);
}

/** The transform of a card whose finger is at `distancePx`; it turns about its lower edge. */
export function transformAt(distancePx: number): string {
  const tilt = Math.max(-TILT_MAX_DEGREES, Math.min(TILT_MAX_DEGREES, distancePx / PX_PER_DEGREE));
  return `translateX(${(distancePx * FOLLOWED_SHARE).toFixed(2)}px) rotate(${tilt.toFixed(3)}deg)`;
}

/** The way of a spring from `distancePx`, with the finger's speed, back to the middle: one position a frame. */
export function springBack(distancePx: number, pxPerMs: number): { positions: number[]; durationMs: number } {
  const frequency = Math.sqrt(STIFFNESS);
  const decay = DAMPING / 2;
  const damped = Math.sqrt(frequency ** 2 - decay ** 2);
  const sine = (pxPerMs * 1_000 + decay * distancePx) / damped;
  const positions: number[] = [];
  for (let ms = 0; ms < SPRING_MAX_MS; ms += FRAME_MS) {
    const seconds = ms / 1_000;
    const swing = distancePx * Math.cos(damped * seconds) + sine * Math.sin(damped * seconds);
    positions.push(Math.exp(-decay * seconds) * swing);
    if (ms > FRAME_MS && Math.max(...positions.slice(-2).map(Math.abs)) < 1) break;
  }
  positions.push(0);
  return { positions, durationMs: (positions.length - 1) * FRAME_MS };
}

/** The finger's speed in pixels per millisecond, of its last places. */
export function speedOf(places: readonly { x: number; ms: number }[]): number {
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined || last.ms <= first.ms) return 0;
  return (last.x - first.x) / (last.ms - first.ms);
}
