declare global {
  interface Window {
    /** The snapshot of the Polls tab from its last use; set by `public/early.js`. */
    homeSnapshot?: HTMLElement | undefined;
    /** Identifies the build and layout of the page; set by `public/early.js`. A snapshot is shown only if this is unchanged. */
    homeLook?: () => string;
  }
}

/** How many of the latest polls a snapshot contains: enough to fill the first screen of any device. */
const CARDS_MAX = 6;
/** Attributes that have no use in a snapshot, or must not occur twice in the page. */
const DROPPED_ATTRIBUTES = [
  'id',
  'role',
  'tabindex',
  'aria-labelledby',
  'aria-describedby',
  'aria-live',
  'data-skippable',
];

/** The Polls tab with its first cards, as HTML that `public/early.js` can show before the app runs. */
export function snapshotOf(pollsTab: Element): string {
  // In the page's own document, the copied images would be loaded again.
  const copy = copyWithFirstCards(pollsTab, document.implementation.createHTMLDocument());
  for (const element of copy.querySelectorAll('dialog, [popover]')) element.remove();
  for (const element of copy.querySelectorAll<HTMLElement>('*')) {
    for (const name of DROPPED_ATTRIBUTES) element.removeAttribute(name);
    // The only style to keep is the share in a bar of results. The Content Security Policy forbids `style` attributes, so
    // `early.js` sets it by script.
    const style = element.getAttribute('style');
    if (style?.includes('--share')) element.dataset.style = style;
    element.removeAttribute('style');
    for (const name of [...element.classList])
      if (name.startsWith('animate-')) element.classList.remove(name);
    // Images that have not been uploaded have object URLs, which are invalid at the next start: empty elements replace them.
    if (element.getAttribute('src')?.startsWith('blob:')) {
      const emptyImage = copy.ownerDocument.createElement('div');
      emptyImage.className = element.className;
      element.replaceWith(emptyImage);
    }
  }
  return copy.innerHTML;
}

/** A copy of an element for another document, with only the first cards of the grid of polls. */
function copyWithFirstCards(element: Element, targetDocument: Document): Element {
  const isGrid = element.classList.contains('poll-grid');
  if (!isGrid && element.querySelector('.poll-grid') === null)
    return targetDocument.importNode(element, true);
  const copy = targetDocument.importNode(element, false);
  const children = [...element.children].slice(0, isGrid ? CARDS_MAX : undefined);
  copy.append(...children.map((child) => copyWithFirstCards(child, targetDocument)));
  return copy;
}

/** The last snapshot if it is this user's, else null. With `userId` null (not known yet), the snapshot of any user. */
export function lastSnapshot(userId: number | null): HTMLElement | null {
  const { homeSnapshot } = window;
  if (homeSnapshot === undefined) return null;
  return userId === null || homeSnapshot.dataset.user === String(userId) ? homeSnapshot : null;
}

/** Drops the snapshot of the last use, which is out of date as soon as the polls themselves are shown. */
export function dropLastSnapshot(): void {
  window.homeSnapshot = undefined;
}
