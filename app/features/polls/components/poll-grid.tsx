import { type ReactNode, useEffect, useRef } from 'react';
import { afterPaint } from '#app/lib/after-paint.ts';

/** In heights of the viewport. */
const FAR_FROM_VIEWPORT = 1;

/** The cards of polls. A phone does not render those far from the screen. */
export function PollGrid({ children }: { children: ReactNode }) {
  const grid = useRef<HTMLDivElement>(null);
  // After each render, since it may have added cards.
  useEffect(() => afterPaint(() => markDistantCards(grid.current)));
  return (
    <div className="poll-grid" ref={grid}>
      {children}
    </div>
  );
}

/**
 * Lets the browser skip rendering the cards that are far from the viewport now. They have been painted before, so that they keep
 * their height, which restoring the scroll position depends on. Marking visible cards would count as a layout shift in Chromium.
 */
function markDistantCards(grid: HTMLElement | null): void {
  const distance = FAR_FROM_VIEWPORT * innerHeight;
  for (const card of grid?.querySelectorAll<HTMLElement>(':scope > .poll-card:not([data-skippable])') ?? []) {
    const { top, bottom } = card.getBoundingClientRect();
    if (bottom < -distance || top > innerHeight + distance) card.dataset.skippable = '';
  }
}
