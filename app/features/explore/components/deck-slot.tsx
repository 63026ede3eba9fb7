import type { MouseEvent, ReactNode, RefObject } from 'react';
import { useSwipe } from '#app/features/explore/hooks/use-swipe.ts';
import type { Motion } from '#app/features/explore/lib/pass.ts';
import type { Option } from '#shared/polls/schema.ts';

type Props = {
  stage: RefObject<HTMLElement | null>;
  /** 0 for the front card; null for a card that is leaving. */
  place: number | null;
  motion: Motion | null;
  onMotionEnd(): void;
  onSwipe(option: Option): void;
  ignoresClick(): boolean;
  onClick(target: Element): void;
  children: ReactNode;
};

/** The place of a card in the deck. All but the front card are inert. */
export function DeckSlot({
  stage,
  place,
  motion,
  onMotionEnd,
  onSwipe,
  ignoresClick,
  onClick,
  children,
}: Props) {
  const swipe = useSwipe(stage, (option) => {
    // A card that leaves during the swipe must not vote on the next one.
    if (place === 0) onSwipe(option);
  });
  // Without a role: the buttons of the card and the keyboard shortcuts do the same.
  const handlers = {
    ...swipe,
    onClickCapture(event: MouseEvent) {
      if (!ignoresClick()) return swipe.onClickCapture(event);
      event.preventDefault();
      event.stopPropagation();
    },
    onClick({ target, defaultPrevented }: MouseEvent) {
      if (!defaultPrevented && target instanceof Element) onClick(target);
    },
  };
  return (
    <div
      className="deck-slot"
      data-place={place ?? undefined}
      data-motion={motion === null ? undefined : `${motion.kind}-${motion.direction}`}
      inert={place !== 0}
      onAnimationEnd={({ target, currentTarget }) => target === currentTarget && onMotionEnd()}
    >
      <div className="deck-swipe" {...handlers}>
        {children}
      </div>
    </div>
  );
}
