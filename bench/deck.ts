import type { CDPSession, Page } from '@playwright/test';
import { ensureBuild } from '#scripts/run/children.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import {
  generateSamplePolls,
  newPhone,
  newSlowPage,
  signUp,
  waitForFirstScreen,
  withBrowser,
} from './load/phone.ts';
import { median } from './load/quantiles.ts';
import { withServer } from './owner-server.ts';

const FRAMES_MIN = 50;
const NEXT_CARD_MAX_MS = 100;
/** Fewer than in other benchmarks, since a round takes about a minute. */
const ROUNDS_MAX = 3;
const SWIPES_PER_ROUND = 10;
const QUICK_SWIPES = 3;
const SWIPE_PX = 160;
const SWIPE_STEPS = 24;
const STEP_MS = 16;
const PAUSE_MS = 700;

/** The frame rate during a swipe, and the time from a tap on Next to the frame with the next card in front. */
type Figures = { framesPerS: number; nextCardMs: number };

/** The reference: a minimal page with one element that follows the finger and is replaced by a tap. */
const BARE_PAGE = `<!doctype html><meta name=viewport content="width=device-width">
<div class=deck-stage><div data-place=0 style="height:70vh;background:#ccc;touch-action:none"></div></div>
<div class=deck-controls><button>Next</button></div>
<script>
  const stage = document.querySelector('.deck-stage');
  let from = null;
  onpointerdown = ({ clientX }) => { from = clientX; };
  onpointermove = ({ clientX }) => { stage.firstChild.style.transform = 'translateX(' + (clientX - from) + 'px)'; };
  onclick = () => { stage.firstChild.replaceWith(stage.firstChild.cloneNode()); };
</script>`;

/** Init script of the page: adds `watchSwipe` and `watchNextCard` to the window. */
function watchDeck(): void {
  const frames: number[] = [];
  const onFrame = (ms: number) => {
    frames.push(ms);
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  /** Measures the frames per second until the finger is lifted. */
  Reflect.set(window, 'watchSwipe', () => {
    const start = frames.length;
    return new Promise<number>((resolve) => {
      const onEnd = () => {
        const seen = frames.slice(start);
        resolve(((seen.length - 1) / ((seen.at(-1) ?? 0) - (seen[0] ?? 0))) * 1_000);
      };
      document.addEventListener('pointerup', onEnd, { capture: true, once: true });
    });
  });
  const front = () => document.querySelector('.deck-stage [data-place="0"]');
  const areImagesLoaded = (card: Element | null) =>
    card !== null &&
    [...card.querySelectorAll('img')].every((image) => image.complete && image.naturalWidth > 0);
  /**
   * Measures the time from the next tap until another card is in front with its images loaded, up to the task after the frame
   * that shows it.
   */
  Reflect.set(window, 'watchNextCard', () => {
    const shown = front();
    return new Promise<number>((resolve) => {
      const onTap = ({ timeStamp }: Event) => {
        const observer = new MutationObserver(() => {
          const next = front();
          if (next === shown || !areImagesLoaded(next)) return;
          observer.disconnect();
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.now() - timeStamp);
            port2.postMessage(null);
          });
        });
        observer.observe(document, { childList: true, subtree: true, attributes: true });
      };
      document.addEventListener('pointerup', onTap, { capture: true, once: true });
    });
  });
}

async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`Element not found: ${selector}`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(devTools: CDPSession, { x, y }: { x: number; y: number }): Promise<void> {
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchX: number) =>
    devTools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: touchX, y }],
    });
  await touch('touchStart', x);
  for (let step = 1; step <= SWIPE_STEPS; step += 1) {
    const pause = new Promise((resolve) => setTimeout(resolve, STEP_MS));
    await Promise.all([touch('touchMove', x + (SWIPE_PX * step) / SWIPE_STEPS), pause]);
  }
  await touch('touchEnd', x + SWIPE_PX);
}

/** Votes by swipe, then taps Next. */
async function swipeAndTapNext(page: Page, devTools: CDPSession): Promise<Figures> {
  await waitForFirstScreen(page);
  await page.waitForTimeout(PAUSE_MS);
  const middle = await middleOf(page, '.deck-stage [data-place="0"]');
  // The promise is in an object, since `evaluateHandle` would wait for a promise.
  const swipe = await page.evaluateHandle(() => ({
    framesPerS: Reflect.get(window, 'watchSwipe')() as Promise<number>,
  }));
  await drag(devTools, middle);
  const framesPerS = await swipe.evaluate((figures) => figures.framesPerS);
  await page.waitForTimeout(PAUSE_MS);
  const next = await middleOf(page, '.deck-controls button:last-child');
  const tap = await page.evaluateHandle(() => ({
    nextCardMs: Reflect.get(window, 'watchNextCard')() as Promise<number>,
  }));
  await page.touchscreen.tap(next.x, next.y);
  return { framesPerS, nextCardMs: await tap.evaluate((figures) => figures.nextCardMs) };
}

/** Measures the frame rate of swipes in the deck on a slow phone, and how soon the next card is shown. */
export async function benchDeck({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  const swipes = isQuick ? QUICK_SWIPES : SWIPES_PER_ROUND;
  await ensureBuild();
  return withServer('', async (server) => {
    // The swipe and the tap on Next each use up a card.
    await generateSamplePolls(server, 2 * swipes);
    return withBrowser(async (browser) => {
      let users = 0;
      const swipeThroughDeck = async (url: string, { isBare }: { isBare: boolean }) => {
        users += 1;
        const phone = await newPhone(browser);
        await signUp(phone, server.address, `swiper_${users}`);
        const page = await newSlowPage(phone);
        await page.addInitScript(watchDeck);
        await page.goto(url);
        await page.locator('.deck-stage [data-place="0"]').waitFor();
        if (!isBare) await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
        const devTools = await phone.newCDPSession(page);
        const figures: Figures[] = [];
        while (figures.length < swipes) figures.push(await swipeAndTapNext(page, devTools));
        await phone.close();
        return figures;
      };
      const results = await measureInTurns(
        {
          deck: () => swipeThroughDeck(`${server.address}/explore`, { isBare: false }),
          bare: () => swipeThroughDeck(`data:text/html,${encodeURIComponent(BARE_PAGE)}`, { isBare: true }),
        },
        Math.min(rounds, ROUNDS_MAX),
      );
      const averageFrameRate = (rounds: Figures[][]) => {
        const all = rounds.flat();
        return all.reduce((sum, { framesPerS }) => sum + framesPerS, 0) / all.length;
      };
      const medianNextCardMs = (rounds: Figures[][]) =>
        median(rounds.flat().map(({ nextCardMs }) => nextCardMs));
      const framesPerS = averageFrameRate(results.deck);
      const nextCardMs = medianNextCardMs(results.deck);
      return [
        {
          metric: 'frames a second during a swipe in the deck, CPU ÷ 4',
          value: `${framesPerS.toFixed(0)}/s, a bare page ${averageFrameRate(results.bare).toFixed(0)}/s`,
          comparedValue: framesPerS,
          target: { min: FRAMES_MIN },
        },
        {
          metric: 'tap on Next in the deck to the frame with the next card, CPU ÷ 4, ms',
          value: `${nextCardMs.toFixed(0)} ms, a bare page ${medianNextCardMs(results.bare).toFixed(0)} ms`,
          comparedValue: nextCardMs,
          target: { max: NEXT_CARD_MAX_MS },
        },
      ];
    });
  });
}
