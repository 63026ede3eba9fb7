import type { Page } from '@playwright/test';
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

const TARGET_MS = 50;
const POLLS = 24;
const TAPS_PER_ROUND = 6;
const QUICK_TAPS = 3;
const PAUSE_MS = 500;

/** The time from the touch to the frame with the choice instead of the buttons, and to the frame with the percentages. */
type Times = { choiceMs: number; resultMs: number };

/** The reference: a minimal page whose buttons replace themselves. */
const BARE_CARD =
  '<article class="poll-card"><button data-option="1" onclick="this.outerHTML=\'<b class=figures>1%</b>\'">1</button></article>';
const BARE_PAGE = `<!doctype html><main>${BARE_CARD.repeat(TAPS_PER_ROUND)}</main>`;

/**
 * Init script of the page: adds `nextVote` to the window. A measurement starts with the time stamp of the touch and ends in the
 * task after the frame that follows the change in the document. The Event Timing API covers only the first frame, rounded to 8
 * ms, but the percentages come later, with the server's response; Element Timing would wait for their animation.
 */
function watchVotes(): void {
  const afterFrame = () =>
    new Promise<number>((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      });
    });
  const timeWhenShown = (card: Element, isShown: () => boolean) =>
    new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isShown()) return;
        observer.disconnect();
        void afterFrame().then(resolve);
      });
      observer.observe(card, { childList: true, subtree: true });
    });
  const nextVote = () =>
    new Promise<Times>((resolve) => {
      const onTouch = async ({ timeStamp, target }: PointerEvent) => {
        const card = target instanceof Element ? target.closest('article') : null;
        if (card === null) return;
        const [choiceAt, resultAt] = await Promise.all([
          timeWhenShown(card, () => card.querySelector('button[data-option]') === null),
          timeWhenShown(card, () => card.querySelector('.figures:not([aria-hidden])') !== null),
        ]);
        resolve({ choiceMs: choiceAt - timeStamp, resultMs: resultAt - timeStamp });
      };
      document.addEventListener('pointerdown', onTouch, { capture: true, once: true });
    });
  Reflect.set(window, 'nextVote', nextVote);
}

/** Waits until the page is idle, and votes on the next poll that has vote buttons. */
async function voteOnNext(page: Page): Promise<Times> {
  const button = page.locator('main .poll-card button[data-option="1"]').first();
  await button.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await waitForFirstScreen(page);
  await page.waitForTimeout(PAUSE_MS);
  const box = await button.boundingBox();
  if (box === null) throw new Error('The button is not visible');
  // The promise is in an object, since `evaluateHandle` would wait for a promise.
  const vote = await page.evaluateHandle(() => ({
    times: Reflect.get(window, 'nextVote')() as Promise<Times>,
  }));
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  return vote.evaluate(({ times }) => times);
}

async function voteRepeatedly(page: Page, taps: number): Promise<Times[]> {
  const times: Times[] = [];
  for (let tap = 0; tap < taps; tap += 1) times.push(await voteOnNext(page));
  return times;
}

/** Measures on a slow phone the time from a tap on a vote button in the feed to the frames that show its effect. */
export async function benchVotePaint({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  const taps = isQuick ? QUICK_TAPS : TAPS_PER_ROUND;
  await ensureBuild();
  return withServer('', async (server) => {
    await generateSamplePolls(server, POLLS);
    return withBrowser(async (browser) => {
      let users = 0;
      const openPage = async (url: string) => {
        users += 1;
        const phone = await newPhone(browser);
        await signUp(phone, server.address, `voter_${users}`);
        const page = await newSlowPage(phone);
        await page.addInitScript(watchVotes);
        await page.goto(url);
        return page;
      };
      const vote = async () => {
        const page = await openPage(`${server.address}/home`);
        await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
        const times = await voteRepeatedly(page, taps);
        await page.context().close();
        return times;
      };
      const tapBarePage = async () => {
        const page = await openPage(`data:text/html,${encodeURIComponent(BARE_PAGE)}`);
        const times = await voteRepeatedly(page, taps);
        await page.context().close();
        return times;
      };
      const results = await measureInTurns({ vote, bare: tapBarePage }, rounds);
      const medianOf = (rounds: Times[][], select: (times: Times) => number) =>
        median(rounds.flat().map(select));
      const bareMs = medianOf(results.bare, ({ resultMs }) => resultMs);
      const row = (metric: string, ms: number, target: Row['target']): Row => ({
        metric: `tap on a vote button to the frame with ${metric}, CPU ÷ 4, ms`,
        value: `${ms.toFixed(0)} ms, a bare page ${bareMs.toFixed(0)} ms`,
        comparedValue: ms,
        target,
      });
      return [
        row(
          'the choice',
          medianOf(results.vote, ({ choiceMs }) => choiceMs),
          { max: TARGET_MS },
        ),
        row(
          'the percentages',
          medianOf(results.vote, ({ resultMs }) => resultMs),
          // Without a target, since they come with the server's response.
          null,
        ),
      ];
    });
  });
}
