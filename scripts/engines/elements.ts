import { setTimeout as sleep } from 'node:timers/promises';
import type { Tab } from './engine.ts';

/** The app retries within half a minute; the rest is a margin for busy machines. */
const TIMEOUT_MS = 120_000;
const CHECK_INTERVAL_MS = 100;

/** XPaths of elements of the app. */
export const card = (question: string) => `//article[h3[normalize-space() = "${question}"]]`;
export const button = (name: string, inside = '') =>
  `${inside}//button[normalize-space() = "${name}" or @aria-label = "${name}"]`;
export const field = (label: string, inside = '') =>
  `${inside}//*[@aria-label = "${label}" or @id = //label[normalize-space() = "${label}"]/@for]`;
export const link = (text: string) => `//a[contains(., "${text}")]`;
export const heading = (text: string) =>
  `//*[self::h1 or self::h2 or self::h3][normalize-space() = "${text}"]`;
export const containing = (text: string, inside = '//body') => `${inside}[contains(., "${text}")]`;
export const pointsBadge = (text: string) => `//output[@data-points-badge][normalize-space() = "${text}"]`;

/** A JavaScript expression for the visible elements that match an XPath. */
const visible = (xpath: string) => `(() => {
  const matches = document.evaluate(${JSON.stringify(xpath)}, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  return Array.from({ length: matches.snapshotLength }, (_, index) => matches.snapshotItem(index))
    .filter((element) => element.checkVisibility());
})()`;
const firstVisible = (xpath: string) => `(${visible(xpath)}[0] ?? null)`;

/** An expression for the first visible element that is not covered by another, scrolled to the middle of the screen. */
const clickable = (xpath: string) => `(${visible(xpath)}.find((element) => {
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}) ?? null)`;

/** Waits until a JavaScript expression is truthy in the page; `problem` is the message of the error after a timeout. */
export async function waitFor(tab: Tab, expression: string, problem: string): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while ((await tab.evaluate(`Boolean(${expression})`)) !== true) {
    if (performance.now() > deadlineMs) {
      const shown = await tab.evaluate('location.pathname + "\\n" + document.body.innerText');
      throw new Error(`${problem} after ${TIMEOUT_MS / 1000} s; the page shows:\n${String(shown)}`);
    }
    await sleep(CHECK_INTERVAL_MS);
  }
}

export const waitUntilShown = (tab: Tab, xpath: string) => waitFor(tab, firstVisible(xpath), `no ${xpath}`);
export const waitUntilHidden = (tab: Tab, xpath: string) =>
  waitFor(tab, `!${firstVisible(xpath)}`, `still ${xpath}`);

/** Waits until there are images inside and all of them have loaded, including images outside the viewport. */
export const waitForImages = (tab: Tab, inside: string) =>
  waitFor(
    tab,
    `((images) => {
      for (const image of images) image.loading = 'eager';
      return images.length > 0 && images.every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
    })(${visible(`${inside}//img`)})`,
    `no images in ${inside}`,
  );

export async function click(tab: Tab, xpath: string): Promise<void> {
  await waitFor(tab, clickable(xpath), `nothing to click at ${xpath}`);
  await tab.click(clickable(xpath));
}

export async function fill(tab: Tab, xpath: string, text: string): Promise<void> {
  await waitUntilShown(tab, xpath);
  await tab.type(firstVisible(xpath), text);
}

export async function chooseFile(tab: Tab, xpath: string, path: string): Promise<void> {
  await waitUntilShown(tab, xpath);
  await tab.chooseFile(firstVisible(xpath), path);
}
