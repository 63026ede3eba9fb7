import { atom } from 'jotai';
import { afterPaint } from './after-paint.ts';
import { prefersReducedMotion } from './browser/media.ts';
import { store } from './store.ts';

/** A +1 that moves from a vote button to the points badge; coordinates are in viewport pixels. */
export type PointAnimation = { id: number; fromX: number; fromY: number };

export const pointAnimationsAtom = atom<readonly PointAnimation[]>([]);

let lastId = 0;

/** Starts the animation from where a vote button was, after the next paint: it needs the layout that shows the vote. */
export function startPointAnimation({ left, top, width, height }: DOMRect): void {
  if (prefersReducedMotion()) return;
  lastId += 1;
  const animation = { id: lastId, fromX: left + width / 2, fromY: top + height / 2 };
  afterPaint(() => store.set(pointAnimationsAtom, (animations) => [...animations, animation]));
}

export function endPointAnimation(id: number): void {
  store.set(pointAnimationsAtom, (animations) => animations.filter((animation) => animation.id !== id));
}
