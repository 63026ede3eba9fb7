declare global {
  interface Window {
    /** What the Polls tab looked like when it was last used; from `public/early.js`. */
    homeSnapshot?: HTMLElement | undefined;
    /** The build and the layout of the page; from `public/early.js`. A snapshot is shown with the same ones only. */
    homeLook?: () => string;
  }
}

/** How many of the latest polls are kept: enough for the first screen of any device. */
const CARDS_MAX = 6;
/** What means nothing in a picture of the page, or would be there twice. */
const DROPPED = ['id', 'role', 'tabindex', 'aria-labelledby', 'aria-describedby', 'aria-live'];

/** The `feed` without the cards that are further down, as HTML that needs neither scripts nor `style` attributes. */
export function snapshotOf(feed: Element): string {
  // Images of the page's own document would be loaded once more.
  const copy = copyOfFirst(feed, document.implementation.createHTMLDocument());
  for (const element of copy.querySelectorAll('dialog, [popover]')) element.remove();
  for (const element of copy.querySelectorAll<HTMLElement>('*')) {
    for (const name of DROPPED) element.removeAttribute(name);
    // The policy for contents forbids the attribute; `early.js` sets the style itself.
    const style = element.getAttribute('style');
    if (style?.includes('--share')) element.dataset.style = style;
    element.removeAttribute('style');
    for (const name of [...element.classList])
      if (name.startsWith('animate-')) element.classList.remove(name);
    // Images of polls that wait to be sent are gone at the next start: their places stay empty.
    if (element.getAttribute('src')?.startsWith('blob:')) {
      const place = copy.ownerDocument.createElement('div');
      place.className = element.className;
      element.replaceWith(place);
    }
  }
  return copy.innerHTML;
}

/** A copy of an element for another document; of the grid of polls only the first cards. */
function copyOfFirst(element: Element, to: Document): Element {
  const isGrid = element.classList.contains('feed-grid');
  if (!isGrid && element.querySelector('.feed-grid') === null) return to.importNode(element, true);
  const copy = to.importNode(element, false);
  const children = [...element.children].slice(0, isGrid ? CARDS_MAX : undefined);
  copy.append(...children.map((child) => copyOfFirst(child, to)));
  return copy;
}

/** The snapshot of the last use, if it is of this user or it is not yet known who is logged in. */
export function lastSnapshot(userId: number | null): HTMLElement | null {
  const { homeSnapshot } = window;
  if (homeSnapshot === undefined) return null;
  return userId === null || homeSnapshot.dataset.user === String(userId) ? homeSnapshot : null;
}

/** The polls themselves are shown: from now on the snapshot of the last use is out of date. */
export function dropSnapshot(): void {
  window.homeSnapshot = undefined;
}
