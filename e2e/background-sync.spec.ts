import { expect, type Page, type Worker } from '@playwright/test';
import { BACKGROUND_DRAIN_TAG, createSyncDispatcher } from '#scripts/browser/dispatch-sync.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { readQueue } from './testing/device-db.ts';
import type { ErrorMonitor } from './testing/error-monitor.ts';
import { type LossyProxy, startLossyProxy } from './testing/lossy-proxy.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test as base } from './testing/test.ts';
import { card, expectImages, fillPoll, newName, PASSWORD, points } from './testing/user-actions.ts';

type Voter = { page: Page; monitor: ErrorMonitor; userId: number; polls: Poll[] };
type Fixtures = {
  lossyProxy: LossyProxy;
  /** A user who has voted on two polls while the server could not be reached. */
  voter: Voter;
};

const test = base.extend<Fixtures>({
  lossyProxy: async ({ server }, use) => {
    const proxy = await startLossyProxy(server);
    await use(proxy);
    await proxy.close();
  },

  voter: async ({ newUser, lossyProxy }, use) => {
    const { page: maker } = await newUser();
    const { page, monitor } = await newUser({ baseURL: lossyProxy.address });
    const polls: Poll[] = [];
    for (const question of [newName('First'), newName('Second')]) {
      await register(maker, newName('mila'));
      polls.push(await postPoll(maker, question));
    }
    monitor.expectNetworkErrors();
    const { id: userId } = await registerAndOpenHome(page, newName('otto'));
    for (const { question } of polls) await expectImages(card(page, question));
    await page.evaluate(recordRegistrations);
    lossyProxy.goOffline();
    for (const { question } of polls) {
      await card(page, question).getByRole('button', { name: 'That' }).click();
      await expect(card(page, question)).toContainText('Waiting to sync');
    }
    await use({ page, monitor, userId, polls });
  },
});

type Recording = typeof globalThis & { registeredTags: string[] };

/**
 * Runs in the page: replaces the function that registers a background sync by one that records the tag. Headless Chromium refuses
 * every registration.
 */
async function recordRegistrations(): Promise<void> {
  const registration: ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } } =
    await navigator.serviceWorker.ready;
  if (registration.sync === undefined) throw new Error('This browser has no background sync.');
  const tags: string[] = [];
  Object.assign(globalThis, { registeredTags: tags });
  Object.getPrototypeOf(registration.sync).register = async (tag: string) => {
    tags.push(tag);
  };
}

const votePath = ({ id }: Poll) => `/api/questions/${id}/vote`;

/** Dispatches a sync event in the worker; returns whether the browser would retry. With `hidesPages` the worker sees no page. */
function dispatchSync(worker: Worker, { hidesPages }: { hidesPages: boolean }): Promise<'done' | 'retry'> {
  return worker.evaluate(
    async ([tag, hides]) => {
      const clients: object = Reflect.get(globalThis, 'clients');
      if (hides) Reflect.set(clients, 'matchAll', async () => []);
      else Reflect.deleteProperty(clients, 'matchAll');
      const event = Object.assign(new Event('sync'), { tag, lastChance: false });
      const { promise, resolve } = Promise.withResolvers<unknown>();
      Object.assign(event, { waitUntil: resolve });
      globalThis.dispatchEvent(event);
      // A rejected promise makes the browser retry.
      return promise.then(
        () => 'done' as const,
        () => 'retry' as const,
      );
    },
    [BACKGROUND_DRAIN_TAG, hidesPages] as const,
  );
}

async function serviceWorkerOf(page: Page): Promise<Worker> {
  const context = page.context();
  return context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');
}

const sentKeys = (lossyProxy: LossyProxy, polls: readonly Poll[]) =>
  polls.flatMap((poll) => lossyProxy.keysOf(votePath(poll)));

test('after all pages are closed, a background sync sends each waiting vote once', { tag: '@core' }, async ({
  voter,
  lossyProxy,
}) => {
  const { page, userId, polls } = voter;
  const context = page.context();
  const tags = await page.evaluate(() => (globalThis as Recording).registeredTags);
  // Registered with each vote, and again while votes are waiting.
  expect(tags.length).toBeGreaterThanOrEqual(polls.length);
  expect(new Set(tags)).toEqual(new Set([BACKGROUND_DRAIN_TAG]));
  await page.close();
  lossyProxy.goOnline();
  await (await createSyncDispatcher(context, lossyProxy.address))();
  await expect.poll(() => sentKeys(lossyProxy, polls).length).toBe(2);

  const reopened = await context.newPage();
  await reopened.goto('/home');
  await expect(points(reopened)).toHaveText('12');
  expect((await readQueue(reopened, userId)).ops).toEqual([]);
  for (const poll of polls) expect(lossyProxy.keysOf(votePath(poll))).toHaveLength(1);
});

test('the service worker and two pages at the same time send no vote twice', { tag: '@core' }, async ({
  voter,
  lossyProxy,
}) => {
  const { page, polls } = voter;
  const secondPage = await page.context().newPage();
  const worker = await serviceWorkerOf(page);
  lossyProxy.goOnline();
  const releases = polls.map((poll) => lossyProxy.holdResponsesTo(votePath(poll)));
  const syncs = [dispatchSync(worker, { hidesPages: true }), dispatchSync(worker, { hidesPages: true })];
  await secondPage.goto('/home');
  for (const openPage of [page, secondPage])
    await openPage.evaluate(() => window.dispatchEvent(new Event('online')));
  // The first vote is sent in its own request, and the second one only after the response to the first.
  await expect.poll(() => sentKeys(lossyProxy, polls).length).toBe(1);
  for (const release of releases) release();
  await Promise.all(syncs);
  for (const openPage of [page, secondPage]) await expect(points(openPage)).toHaveText('12');
  for (const poll of polls) expect(lossyProxy.keysOf(votePath(poll))).toHaveLength(1);
});

test('with a visible page, the service worker sends no vote and requests a retry while votes wait', async ({
  voter,
  lossyProxy,
}) => {
  const { page, polls } = voter;
  const worker = await serviceWorkerOf(page);
  await worker.evaluate(() => {
    const { fetch } = globalThis;
    const requested: string[] = [];
    Object.assign(globalThis, { requested });
    globalThis.fetch = (input, init) => {
      requested.push(String(input));
      return fetch(input, init);
    };
  });
  expect(await dispatchSync(worker, { hidesPages: false })).toBe('retry');
  const requested = await worker.evaluate((): string[] => Reflect.get(globalThis, 'requested'));
  for (const poll of polls) expect(requested.join()).not.toContain(votePath(poll));
  lossyProxy.goOnline();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(points(page)).toHaveText('12');
  expect(await dispatchSync(worker, { hidesPages: false })).toBe('done');
});

test('after the session has ended the service worker keeps the waiting votes', async ({
  voter,
  lossyProxy,
}) => {
  const { page, monitor, userId, polls } = voter;
  const context = page.context();
  await page.close();
  await context.clearCookies();
  monitor.expectStatus(401, /\/api\//);
  lossyProxy.goOnline();
  await (await createSyncDispatcher(context, lossyProxy.address))();
  await expect.poll(() => sentKeys(lossyProxy, polls).length).toBe(1);

  const reopened = await context.newPage();
  await reopened.goto('/outbox');
  await expect(reopened.getByRole('link', { name: 'Log in to send 2 changes' })).toBeVisible();
  const { ops } = await readQueue(reopened, userId);
  expect(ops.map(({ state }) => state)).toEqual(['blocked_auth', 'blocked_auth']);
  // After the refusal of the first vote the second one was not sent.
  expect(sentKeys(lossyProxy, polls)).toHaveLength(1);
});

/** Opens the app, queues a poll offline, closes the app, and spends the points on another device, so that the poll is refused. */
async function queuePollToBeRefused(
  { page, monitor }: Pick<Voter, 'page' | 'monitor'>,
  otherDevice: Page,
  lossyProxy: LossyProxy,
): Promise<void> {
  const name = newName('otto');
  monitor.expectNetworkErrors();
  monitor.expectStatus(402, /\/api\/questions$/);
  await registerAndOpenHome(page, name);
  await waitForServiceWorker(page);
  const dialog = await fillPoll(page, newName('Refused'));
  lossyProxy.goOffline();
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByText('Saved on this device')).toBeVisible();
  await page.close();
  const login = { data: { username: name, password: PASSWORD } };
  expect((await otherDevice.request.post('/api/login', login)).ok()).toBe(true);
  await postPoll(otherDevice, newName('Elsewhere'));
  lossyProxy.goOnline();
}

test('a poll that is refused while no page is open is announced once by the next page', async ({
  newUser,
  lossyProxy,
}) => {
  const user = await newUser({ baseURL: lossyProxy.address });
  const context = user.page.context();
  await queuePollToBeRefused(user, (await newUser()).page, lossyProxy);
  await (await createSyncDispatcher(context, lossyProxy.address))();
  await expect.poll(() => lossyProxy.keysOf('/api/questions').length).toBe(1);

  const reopened = await context.newPage();
  await reopened.goto('/home');
  await expect(reopened.getByText('Failed to create poll')).toBeVisible();
  await reopened.goto('/outbox');
  await expect(reopened.getByRole('heading', { name: 'Needs attention · 1' })).toBeVisible();
  await expect(reopened.getByText('Failed to create poll')).toBeHidden();
  expect(lossyProxy.keysOf('/api/questions')).toHaveLength(1);
});

test('a poll that is refused after a page was opened is announced by this page', async ({
  newUser,
  lossyProxy,
}) => {
  const user = await newUser({ baseURL: lossyProxy.address });
  const context = user.page.context();
  await queuePollToBeRefused(user, (await newUser()).page, lossyProxy);
  const release = lossyProxy.holdResponsesTo('/api/questions');
  const dispatched = (await createSyncDispatcher(context, lossyProxy.address))();
  await expect.poll(() => lossyProxy.keysOf('/api/questions').length).toBe(1);

  const reopened = await context.newPage();
  await reopened.goto('/home');
  await reopened.waitForLoadState('networkidle');
  release();
  await expect(reopened.getByText('Failed to create poll')).toBeVisible();
  await dispatched;
  expect(lossyProxy.keysOf('/api/questions')).toHaveLength(1);
});
