import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import {
  isSystemGesture,
  optionAt,
  releasedOption,
  SLOP_PX,
  speedOf,
  springBack,
  transformAt,
} from '#app/features/explore/lib/swipe.ts';
import { prefersReducedMotion } from '#app/lib/browser/media.ts';
import type { Option } from '#shared/polls/schema.ts';

/** The time before the end of a swipe over which its speed is measured. */
const SPEED_WINDOW_MS = 100;

type Drag = {
  pointerId: number;
  startX: number;
  startY: number;
  samples: { x: number; ms: number }[];
  isSwipe: boolean;
};

/**
 * Returns the props of a card that follows a finger or the mouse sideways, and calls `onSwipe` when the card is released far
 * enough from the middle. Sets the option that would be chosen as `data-lean` on `stage`, for styles. A drag causes no render.
 */
export function useSwipe(stage: RefObject<HTMLElement | null>, onSwipe: (option: Option) => void) {
  const card = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | null>(null);
  const hasSwiped = useRef(false);

  function showLean(option: Option | null) {
    if (option === null) stage.current?.removeAttribute('data-lean');
    else stage.current?.setAttribute('data-lean', String(option));
  }

  /** Ends the drag; the card springs back to the middle. */
  function release(distancePx: number, pxPerMs: number) {
    drag.current = null;
    showLean(null);
    const element = card.current;
    if (element === null) return;
    element.style.transform = '';
    if (prefersReducedMotion() || distancePx === 0) return;
    const { distances, durationMs } = springBack(distancePx, pxPerMs);
    element.animate(
      distances.map((distance) => ({ transform: transformAt(distance) })),
      { duration: durationMs },
    );
  }

  const distancePxOf = ({ startX, isSwipe, samples }: Drag) =>
    isSwipe ? (samples.at(-1)?.x ?? startX) - startX : 0;

  function cancel() {
    if (drag.current !== null) release(distancePxOf(drag.current), 0);
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || drag.current?.isSwipe !== true) return;
    event.preventDefault();
    cancel();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    const stageElement = stage.current;
    document.addEventListener('keydown', listener, { capture: true });
    return () => {
      document.removeEventListener('keydown', listener, { capture: true });
      stageElement?.removeAttribute('data-lean');
    };
  }, [stage]);

  return {
    ref: card,
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const { clientX: x, clientY: y, pointerId, pointerType, isPrimary, button, target } = event;
      // A second finger ends the swipe.
      if (!isPrimary) return cancel();
      hasSwiped.current = false;
      const isInOverlay = !(target instanceof Element) || target.closest('dialog, [popover]') !== null;
      if (button !== 0 || isInOverlay || isSystemGesture(x, pointerType, window.innerWidth)) return;
      for (const animation of card.current?.getAnimations() ?? []) animation.cancel();
      const samples = [{ x, ms: event.timeStamp }];
      drag.current = { pointerId, startX: x, startY: y, samples, isSwipe: false };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const current = drag.current;
      if (current?.pointerId !== event.pointerId) return;
      const { clientX: x, timeStamp: ms } = event;
      const distancePx = x - current.startX;
      if (!current.isSwipe) {
        const horizontalPx = Math.abs(distancePx);
        const verticalPx = Math.abs(event.clientY - current.startY);
        if (Math.max(horizontalPx, verticalPx) < SLOP_PX) return;
        if (verticalPx > horizontalPx) {
          drag.current = null;
          return;
        }
        current.isSwipe = true;
        hasSwiped.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }
      current.samples = [...current.samples.filter((sample) => ms - sample.ms < SPEED_WINDOW_MS), { x, ms }];
      showLean(optionAt(distancePx));
      if (card.current !== null && !prefersReducedMotion())
        card.current.style.transform = transformAt(distancePx);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const current = drag.current;
      if (current?.pointerId !== event.pointerId) return;
      // Old samples are dropped, so the speed is 0 if the finger rested before it was lifted.
      const recent = current.samples.filter(({ ms }) => event.timeStamp - ms < SPEED_WINDOW_MS);
      const distancePx = distancePxOf(current);
      const pxPerMs = speedOf(recent);
      release(distancePx, pxPerMs);
      // A click that ends the swipe follows immediately.
      setTimeout(() => {
        hasSwiped.current = false;
      });
      const option = current.isSwipe ? releasedOption(distancePx, pxPerMs) : null;
      if (option !== null) onSwipe(option);
    },
    onPointerCancel: cancel,
    /**
     * Suppresses the click that ends a swipe by mouse. Clicks by the keyboard, and the deck's own click on a vote button in
     * `onSwipe`, have a `detail` of 0.
     */
    onClickCapture(event: MouseEvent) {
      if (!hasSwiped.current || event.detail === 0) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
