import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import {
  isSystemGesture,
  leanOf,
  releasedOption,
  SLOP_PX,
  speedOf,
  springBack,
  transformAt,
} from '#app/features/explore/lib/swipe.ts';
import { prefersReducedMotion } from '#app/lib/browser/media.ts';
import type { Option } from '#shared/polls/schema.ts';

/** The speed is that of this last time. */
const SPEED_MS = 100;

type Drag = {
  pointerId: number;
  x: number;
  y: number;
  places: { x: number; ms: number }[];
  isSwipe: boolean;
};

/**
 * Props of an element that follows a finger or the mouse sideways, and calls `onSwipe` when it is let go far enough. `stage`
 * has the option that it leans to as `data-lean`, for its looks. Nothing is rendered meanwhile.
 */
export function useSwipe(stage: RefObject<HTMLElement | null>, onSwipe: (option: Option) => void) {
  const card = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | null>(null);
  const hasSwiped = useRef(false);

  function lean(option: Option | null) {
    if (option === null) stage.current?.removeAttribute('data-lean');
    else stage.current?.setAttribute('data-lean', String(option));
  }

  /** Ends the drag; the card swings back to the middle from wherever it is. */
  function letGo(distancePx: number, pxPerMs: number) {
    drag.current = null;
    lean(null);
    const element = card.current;
    if (element === null) return;
    element.style.transform = '';
    if (prefersReducedMotion() || distancePx === 0) return;
    const { positions, durationMs } = springBack(distancePx, pxPerMs);
    element.animate(
      positions.map((position) => ({ transform: transformAt(position) })),
      { duration: durationMs },
    );
  }

  const distanceOf = ({ x, isSwipe, places }: Drag) => (isSwipe ? (places.at(-1)?.x ?? x) - x : 0);

  function cancel() {
    if (drag.current !== null) letGo(distanceOf(drag.current), 0);
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || drag.current?.isSwipe !== true) return;
    event.preventDefault();
    cancel();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    const leaning = stage.current;
    document.addEventListener('keydown', listener, { capture: true });
    return () => {
      document.removeEventListener('keydown', listener, { capture: true });
      leaning?.removeAttribute('data-lean');
    };
  }, [stage]);

  return {
    ref: card,
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const { clientX: x, clientY: y, pointerId, pointerType, isPrimary, button, target } = event;
      if (!isPrimary) return cancel();
      hasSwiped.current = false;
      const isElsewhere = !(target instanceof Element) || target.closest('dialog, [popover]') !== null;
      if (button !== 0 || isElsewhere || isSystemGesture(x, pointerType, window.innerWidth)) return;
      for (const animation of card.current?.getAnimations() ?? []) animation.cancel();
      drag.current = { pointerId, x, y, places: [{ x, ms: event.timeStamp }], isSwipe: false };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const current = drag.current;
      if (current?.pointerId !== event.pointerId) return;
      const { clientX: x, timeStamp: ms } = event;
      const distance = x - current.x;
      if (!current.isSwipe) {
        const sideways = Math.abs(distance);
        const upright = Math.abs(event.clientY - current.y);
        if (Math.max(sideways, upright) < SLOP_PX) return;
        if (upright > sideways) {
          drag.current = null;
          return;
        }
        current.isSwipe = true;
        hasSwiped.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }
      current.places = [...current.places.filter((place) => ms - place.ms < SPEED_MS), { x, ms }];
      lean(leanOf(distance));
      if (card.current !== null && !prefersReducedMotion())
        card.current.style.transform = transformAt(distance);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const current = drag.current;
      if (current?.pointerId !== event.pointerId) return;
      // A finger that has come to rest has no speed.
      const recent = current.places.filter(({ ms }) => event.timeStamp - ms < SPEED_MS);
      const distance = distanceOf(current);
      const speed = speedOf(recent);
      letGo(distance, speed);
      // The click that may end it comes at once.
      setTimeout(() => {
        hasSwiped.current = false;
      });
      const option = current.isSwipe ? releasedOption(distance, speed) : null;
      if (option !== null) onSwipe(option);
    },
    onPointerCancel: cancel,
    /** The end of a swipe with the mouse is not a click on what is below it. */
    onClickCapture(event: MouseEvent) {
      if (!hasSwiped.current || event.detail === 0) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
