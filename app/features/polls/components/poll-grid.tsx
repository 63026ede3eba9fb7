import { type ReactNode, useEffect, useRef } from 'react';

/** How far a card may be from the viewport and still be rendered: the height of the viewport. */
const MARGIN = '100% 0px';

/** The cards of polls. A phone does not render those far from the screen. */
export function PollGrid({ children }: { children: ReactNode }) {
  const grid = useRef<HTMLDivElement>(null);
  const observer = useRef<IntersectionObserver>(null);

  useEffect(() => {
    const distanceObserver = new IntersectionObserver(markDistant, { rootMargin: MARGIN });
    observer.current = distanceObserver;
    let lastWidth: number | null = null;
    // Reading `innerWidth` here would force a layout.
    const widthObserver = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? null;
      if (lastWidth !== null && width !== lastWidth) {
        // The heights that the browser has remembered are those of the previous width.
        for (const card of cardsIn(grid.current, '[data-skippable]')) {
          delete card.dataset.skippable;
          distanceObserver.observe(card);
        }
      }
      lastWidth = width;
    });
    if (grid.current !== null) widthObserver.observe(grid.current);
    return () => {
      distanceObserver.disconnect();
      widthObserver.disconnect();
    };
  }, []);

  // After each render, since it may have added cards.
  useEffect(() => {
    for (const card of cardsIn(grid.current, ':not([data-skippable])')) observer.current?.observe(card);
  });

  return (
    <div className="poll-grid" ref={grid}>
      {children}
    </div>
  );
}

function cardsIn(grid: HTMLElement | null, filter: string): Iterable<HTMLElement> {
  return grid?.querySelectorAll<HTMLElement>(`:scope > .poll-card${filter}`) ?? [];
}

/**
 * Lets the browser skip rendering a card once it is far from the viewport. Not earlier: only a card that was laid out keeps its
 * height, on which restoring the scroll position depends, and marking a visible card would be a layout shift in Chromium.
 */
function markDistant(entries: IntersectionObserverEntry[], observer: IntersectionObserver): void {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting || !(target instanceof HTMLElement)) continue;
    target.dataset.skippable = '';
    observer.unobserve(target);
  }
}
