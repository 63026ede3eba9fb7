import { expect, type Page, type Worker } from '@playwright/test';
import { BACKGROUND_DRAIN_TAG, prepareSync } from '#scripts/browser/dispatch-sync.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { readQueue } from './testing/device-db.ts';
import { type LossyWay, openLossyWay } from './testing/lossy-way.ts';
import { card, expectImages, newName, points } from './testing/people.ts';
import { joinIn, postPoll, register } from './testing/shortcuts.ts';
import { test as base } from './testing/test.ts';
import type { Watch } from './testing/watch.ts';

type Voter = { page: Page; watch: Watch; userId: number; polls: Poll[] };
type Fixtures = {
  way: LossyWay;
  /** Somebody who has voted on two polls with no network, which is what the service worker is for. */
  voter: Voter;
};

const test = base.extend<Fixtures>({
  way: async ({ server }, use) => {
    const way = await openLossyWay(server);
    await use(way);
    await way.close();
  },

  voter: async ({ newPerson, way }, use) => {
    const { page: maker } = await newPerson();
    const { page, watch } = await newPerson({ baseURL: way.address });
    const polls: Poll[] = [];
    for (const question of [newName('First'), newName('Second')]) {
      await register(maker, newName('mila'));
      polls.push(await postPoll(maker, question));
    }
    watch.expectLosses();
    const { id: userId } = await joinIn(page, newName('otto'));
    for (const { question } of polls) await expectImages(card(page, question));
    await page.evaluate(noteRegistrations);
    way.cut(true);
    for (const { question } of polls) {
      await card(page, question).getByRole('button', { name: 'That' }).click();
      await expect(card(page, question)).toContainText('Waiting to sync');
    }
    await use({ page, watch, userId, polls });
  },
});

type Noted = typeof globalThis & { registeredTags: string[] };

/**
 * Runs in the page: notes what the browser is asked to wake the service worker for. Headless Chromium has background sync
 * switched off, whatever its permissions, and would not tell.
 */
async function noteRegistrations(): Promise<void> {
  const registration: ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } } =
    await navigator.serviceWorker.ready;
  if (registration.sync === undefined) throw new Error('This browser knows no background sync.');
  const noted: string[] = [];
  Object.assign(globalThis, { registeredTags: noted });
  Object.getPrototypeOf(registration.sync).register = async (tag: string) => {
    noted.push(tag);
  };
}

const votePath = ({ id }: Poll) => `/api/questions/${id}/vote`;

/** A sync event inside the worker; tells whether the browser would try again. `isAlone`: as if no page were open. */
function syncInside(worker: Worker, { isAlone }: { isAlone: boolean }): Promise<'done' | 'again'> {
  return worker.evaluate(
    async ([tag, alone]) => {
      const clients: object = Reflect.get(globalThis, 'clients');
      if (alone) Reflect.set(clients, 'matchAll', async () => []);
      else Reflect.deleteProperty(clients, 'matchAll');
      const event = Object.assign(new Event('sync'), { tag, lastChance: false });
      const { promise, resolve } = Promise.withResolvers<unknown>();
      Object.assign(event, { waitUntil: resolve });
      globalThis.dispatchEvent(event);
      // A promise that is handed over would be waited for with its refusal.
      return Promise.resolve(promise).then(
        () => 'done' as const,
        () => 'again' as const,
      );
    },
    [BACKGROUND_DRAIN_TAG, isAlone] as const,
  );
}

async function workerOf(page: Page): Promise<Worker> {
  const context = page.context();
  return context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');
}

const keysOf = (way: LossyWay, polls: readonly Poll[]) => polls.flatMap((poll) => way.keysOf(votePath(poll)));

test('the browser is asked to wake the service worker, which with all pages closed sends what waits, once each', async ({
  voter,
  way,
}) => {
  const { page, userId, polls } = voter;
  const context = page.context();
  const tags = await page.evaluate(() => (globalThis as Noted).registeredTags);
  // With each vote, and again while something still waits.
  expect(tags?.length).toBeGreaterThanOrEqual(polls.length);
  expect(new Set(tags)).toEqual(new Set([BACKGROUND_DRAIN_TAG]));
  await page.close();
  way.cut(false);
  await (await prepareSync(context, way.address))();
  await expect.poll(() => keysOf(way, polls).length).toBe(2);

  const reopened = await context.newPage();
  await reopened.goto('/home');
  await expect(points(reopened)).toHaveText('12');
  expect((await readQueue(reopened, userId)).ops).toEqual([]);
  for (const poll of polls) expect(way.keysOf(votePath(poll))).toHaveLength(1);
});

test('the service worker and two pages at once send nothing twice', async ({ voter, way }) => {
  const { page, polls } = voter;
  const second = await page.context().newPage();
  const worker = await workerOf(page);
  way.cut(false);
  const release = polls.map((poll) => way.holdAnswersTo(votePath(poll)));
  const woken = [syncInside(worker, { isAlone: true }), syncInside(worker, { isAlone: true })];
  await second.goto('/home');
  for (const each of [page, second]) await each.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect.poll(() => keysOf(way, polls).length).toBe(1);
  for (const letGo of release) letGo();
  await Promise.all(woken);
  for (const each of [page, second]) await expect(points(each)).toHaveText('12');
  for (const poll of polls) expect(way.keysOf(votePath(poll))).toHaveLength(1);
});

test('beside a page that is looked at the browser is asked to try again, as long as something waits', async ({
  voter,
  way,
}) => {
  const { page, polls } = voter;
  const worker = await workerOf(page);
  expect(await syncInside(worker, { isAlone: false })).toBe('again');
  expect(keysOf(way, polls)).toEqual([]);
  way.cut(false);
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(points(page)).toHaveText('12');
  expect(await syncInside(worker, { isAlone: false })).toBe('done');
});

test('after the session has ended the service worker loses nothing', async ({ voter, way }) => {
  const { page, watch, userId, polls } = voter;
  const context = page.context();
  await page.close();
  await context.clearCookies();
  watch.expectStatus(401, /\/api\//);
  way.cut(false);
  await (await prepareSync(context, way.address))();
  await expect.poll(() => keysOf(way, polls).length).toBe(1);

  const reopened = await context.newPage();
  await reopened.goto('/outbox');
  await expect(reopened.getByRole('link', { name: 'Log in to send 2 changes' })).toBeVisible();
  const { ops } = await readQueue(reopened, userId);
  expect(ops.map(({ state }) => state)).toEqual(['blocked_auth', 'blocked_auth']);
});
