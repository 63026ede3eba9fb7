import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Request } from '@playwright/test';
import { afterAll, expect, test } from 'vitest';
import { openEmbedded } from '#api/db/client.ts';
import { migrateEmbedded } from '#api/db/migrate.ts';
import { openSession } from '#api/http/session/sessions.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { givePoints, seedPolls } from '#api/testing/poll-factory.ts';
import { startServerProcess } from '#api/testing/servers/server-process.ts';
import { ErrorMonitor } from '#e2e/testing/error-monitor.ts';
import { createSyncDispatcher } from '#scripts/browser/dispatch-sync.ts';
import { findBrowser } from '#scripts/browser/find-browser.ts';
import { addVotesToOutbox, countOutboxOps } from '#scripts/browser/outbox.ts';
import { ensureBuild } from '#scripts/run/children.ts';
import { LOGGED_IN_COOKIE } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { batchedKeys } from './batches.ts';

const TABS = 5;
const VOTES = 200;
const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-tabs-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const rethrow = (error: Error) => {
  throw error;
};

/** Creates a user with a session, and `VOTES` polls of another user. */
async function prepare() {
  const db = await openEmbedded(join(dataDir, 'db'), rethrow);
  await migrateEmbedded(db);
  const [maker, voter] = await db.sql<{ id: number }[]>`
    insert into users (username, email, password_hash, referral_code)
    values ('maker', 'maker@example.org', 'none', 'M1'), ('voter', 'voter@example.org', 'none', 'V1') returning id`;
  if (maker === undefined || voter === undefined) throw new Error('no users');
  await givePoints({ db }, voter.id, 10);
  const polls = await seedPolls({ db }, maker.id, VOTES);
  // Their maker has not paid for them; samples are free.
  await db.sql`update polls set is_sample = true`;
  const token = await openSession(db, voter.id);
  await db.close();
  return { userId: voter.id, polls, token: token ?? '' };
}

/** Records the keys of all requests, except for those that failed because the browser was not online yet. */
function recordSends(context: BrowserContext) {
  const sends = new Map<Request, string[]>();
  context.on('request', (request) => {
    const key = request.headers()['idempotency-key'];
    if (key !== undefined) sends.set(request, [key]);
    if (request.url().endsWith(sendBatch.path)) sends.set(request, batchedKeys(request.postData() ?? ''));
  });
  context.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'net::ERR_INTERNET_DISCONNECTED') sends.delete(request);
  });
  return {
    keys: () => [...sends.values()].flat(),
    countByWorker: () => [...sends.keys()].filter((request) => request.serviceWorker() !== null).length,
  };
}

test('five tabs and the service worker together send each of 200 waiting votes exactly once', {
  timeout: 300_000,
}, async ({ annotate }) => {
  await ensureBuild();
  const { userId, polls, token } = await prepare();
  const server = await startServerProcess({
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    OWNER_PASSWORD: 'owner password',
  });
  await server.listening;
  const browser = await chromium.launch(await findBrowser());
  try {
    const context = await browser.newContext();
    const monitor = await ErrorMonitor.start(context);
    monitor.expectNetworkErrors();
    await context.addCookies([
      { name: 'sid', value: token, url: server.address },
      { name: LOGGED_IN_COOKIE, value: '1', url: server.address },
    ]);
    const sends = recordSends(context);
    const tabs: Page[] = [];
    for (let index = 0; index < TABS; index += 1) {
      const tab = await context.newPage();
      await tab.goto(`${server.address}/home`);
      await tab.getByRole('heading', { name: 'Latest Polls' }).waitFor();
      tabs.push(tab);
    }
    const [firstTab] = tabs;
    if (firstTab === undefined) throw new Error('no tab');
    await firstTab.evaluate(() => navigator.serviceWorker.ready);
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    await worker.evaluate(() => {
      Reflect.set(globalThis, 'syncEvents', 0);
      globalThis.addEventListener('sync', () => {
        Reflect.set(globalThis, 'syncEvents', Reflect.get(globalThis, 'syncEvents') + 1);
      });
    });
    const dispatchSync = await createSyncDispatcher(context, server.address);

    await context.setOffline(true);
    await addVotesToOutbox(firstTab, userId, polls);
    expect(await countOutboxOps(firstTab, userId)).toBe(VOTES);
    // A tab may have attempted to send; the attempt is dropped once the browser reports that it failed.
    await expect.poll(() => sends.keys()).toEqual([]);

    await context.setOffline(false);
    const onlineAt = performance.now();
    // Unless this is the browser's last attempt, the worker leaves sending to a visible page.
    await dispatchSync({ isLastChance: true });
    await expect.poll(() => countOutboxOps(firstTab, userId), { timeout: 200_000, interval: 250 }).toBe(0);
    const drainedMs = performance.now() - onlineAt;
    await annotate(
      `drained in ${(drainedMs / 1000).toFixed(1)} s, ${sends.countByWorker()} by the service worker`,
    );
    await expect.poll(() => new Set(sends.keys()).size).toBe(VOTES);
    expect(sends.keys()).toHaveLength(VOTES);
    expect(await worker.evaluate(() => Reflect.get(globalThis, 'syncEvents'))).toBe(1);
    expect(monitor.problems).toEqual([]);
  } finally {
    await browser.close();
    server.child.kill('SIGTERM');
    await server.exited;
  }
  const db = await openEmbedded(join(dataDir, 'db'), rethrow);
  expect(await violatedInvariants(db)).toEqual([]);
  const [{ count }] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from votes where user_id = ${userId}`;
  expect(count).toBe(VOTES);
  await db.close();
});
