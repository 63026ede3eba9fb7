import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { leaseDue } from '#api/jobs/leases.ts';
import { PUSH_QUEUE } from '#api/push/push-queue.ts';
import { createPushRunner } from '#api/push/push-runner.ts';
import { PushError } from '#api/push/push-transport.ts';
import { type FakeBrowser, startPushService } from '#api/testing/external-services/push-service.ts';
import { postRead } from '#api/testing/notifications.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { PUSHES_PER_DAY_MAX } from '#shared/notifications/constants.ts';
import { gatherPushes } from './gather.ts';

const service = await startPushService();
afterAll(() => service.close());
const subject = 'mailto:hello@polls.example.org';
const app = await createTestApp({ env: { push: { keys: null, subject, testOrigin: service.origin } } });
const { db, deps } = app;

beforeEach(async () => {
  await db.sql`delete from push_queue`;
  await db.sql`update notifications set is_push_due = false`;
  service.responders.clear();
});

async function subscribe(client: TestClient): Promise<FakeBrowser> {
  const browser = service.browser();
  const response = await client.request('/api/push', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(browser.subscription),
  });
  expect(response.status).toBe(204);
  return browser;
}

async function signUpSubscriber(): Promise<{ account: TestUser; browser: FakeBrowser }> {
  const account = await app.signUp();
  return { account, browser: await subscribe(account) };
}

/** Writes several notifications for a user at the same time; returns their ids. */
async function notify({ user }: TestUser, count = 1): Promise<number[]> {
  const rows = await db.sql<{ id: number }[]>`
    insert into notifications (user_id, kind) select ${user.id}, 'removed' from generate_series(1, ${count}::int)
    returning id::float8`;
  return rows.map(({ id }) => id);
}

/** Ends the window in which notifications are gathered, makes every queued message due, and expires its lease. */
async function passTime(): Promise<void> {
  await db.sql`update notifications set created_at = created_at - interval '1 minute' where is_push_due`;
  await db.sql`update push_queue set next_attempt_at = now(), leased_until = now() - interval '1 second'`;
}

async function push(): Promise<void> {
  await passTime();
  await gatherPushes(deps);
  await deps.pushes.runDue();
}

const pathOf = ({ subscription }: FakeBrowser) => new URL(subscription.endpoint).pathname;
const respondWith = (browser: FakeBrowser, status: number) =>
  service.responders.set(pathOf(browser), (response) => response.writeHead(status).end());
const queuedMessages = () =>
  db.sql<{ attempts: number; isFailed: boolean; waitS: number }[]>`
    select attempts, failed_at is not null as "isFailed",
      extract(epoch from next_attempt_at - now())::float as "waitS" from push_queue order by id`;

test('the completing vote is pushed to each device of the maker, and the message opens the poll', async () => {
  const { account: maker, browser } = await signUpSubscriber();
  const otherDevice = app.visitor();
  await otherDevice.post('/api/login', { username: maker.user.username, password: maker.password });
  const otherBrowser = await subscribe(otherDevice);
  const poll = await openPoll(app, maker, { question: 'Tea?', option1Caption: 'Yes', option2Caption: 'No' });
  await db.sql`update polls set votes1 = 2, votes2 = 7 where id = ${poll.id}`;
  await postVote(await app.signUp(), poll.id, 2);
  const [{ id } = { id: 0 }] = await db.sql`
    select id::int from notifications where user_id = ${maker.user.id} and kind = 'completed'`;
  await push();
  const message = {
    userId: maker.user.id,
    tag: `notification-${id}`,
    title: 'All 10 votes are in',
    body: 'No, 80%. Tea?',
    path: `/poll/${poll.id}`,
  };
  expect(browser.received()).toEqual([{ message, topic: `n${id}` }]);
  expect(otherBrowser.received()).toEqual(browser.received());
  await push();
  expect(browser.received()).toHaveLength(1);
  expect(await queuedMessages()).toEqual([]);
});

test('notifications within one window are gathered into one message', async () => {
  const { account: maker, browser } = await signUpSubscriber();
  const polls = [await openPoll(app, maker), await openPoll(app, maker, { question: 'Newest?' })];
  for (const { id } of polls) await postVote(await app.signUp(), id, 1);
  // With rate limits, the window is so long that the notifications are still within it.
  await gatherPushes({ ...deps, env: { ...deps.env, rateLimits: true } });
  expect(await queuedMessages()).toEqual([]);
  await push();
  expect(browser.received()).toMatchObject([
    {
      message: {
        title: '2 new notifications about your polls',
        body: 'Your first vote is in. Newest?',
        path: '/notifications',
      },
    },
  ]);
  await notify(maker, 3);
  await push();
  expect(browser.received()[1]?.message).toMatchObject({
    title: '3 new notifications',
    body: 'Your poll was removed',
  });
});

test('push messages are still sent after three restores, each of which raises the ids of notifications', async () => {
  const { account, browser } = await signUpSubscriber();
  for (let restores = 0; restores < 3; restores += 1) await renewEpoch(db);
  const [id = 0] = await notify(account);
  expect(id).toBeGreaterThan(3_000_000_000);
  await push();
  expect(browser.received()).toMatchObject([{ topic: `n${id}` }]);
});

test('several processes push each notification once', async () => {
  const { account, browser } = await signUpSubscriber();
  await notify(account);
  await passTime();
  await Promise.all([1, 2, 3, 4].map(() => gatherPushes(deps)));
  await Promise.all([1, 2].map(() => deps.pushes.runDue()));
  expect(browser.received()).toHaveLength(1);
});

test('a user gets at most five push messages in 24 hours, and further messages afterwards', async () => {
  const { account, browser } = await signUpSubscriber();
  for (let index = 0; index < PUSHES_PER_DAY_MAX + 2; index += 1) {
    await notify(account);
    await push();
  }
  expect(browser.received()).toHaveLength(PUSHES_PER_DAY_MAX);
  await db.sql`update notifications set pushed_at = pushed_at - interval '1 day' where user_id = ${account.user.id}`;
  await notify(account);
  await push();
  expect(browser.received()).toHaveLength(PUSHES_PER_DAY_MAX + 1);
});

test('notifications that have been read, undone or become too old are not pushed', async () => {
  const { account, browser } = await signUpSubscriber();
  const [read = 0] = await notify(account);
  await postRead(account, read);
  await push();
  const [readWhileQueued = 0] = await notify(account);
  await passTime();
  await gatherPushes(deps);
  await postRead(account, readWhileQueued);
  await deps.pushes.runDue();
  const [undone = 0] = await notify(account);
  await passTime();
  await gatherPushes(deps);
  await db.sql`delete from notifications where id = ${undone}`;
  await deps.pushes.runDue();
  const [old = 0] = await notify(account);
  await db.sql`update notifications set created_at = now() - interval '2 days' where id = ${old}`;
  await push();
  expect(browser.received()).toEqual([]);
  expect(await queuedMessages()).toEqual([]);
});

test('a user who subscribes later gets no messages about earlier notifications', async () => {
  const user = await app.signUp();
  await notify(user);
  await push();
  const browser = await subscribe(user);
  await push();
  expect(browser.received()).toEqual([]);
});

test('a message whose session ends while it is queued is not sent', async () => {
  const { account, browser } = await signUpSubscriber();
  await notify(account);
  await passTime();
  await gatherPushes(deps);
  expect(await queuedMessages()).toHaveLength(1);
  await account.post('/api/logout');
  expect(await queuedMessages()).toEqual([]);

  const { account: idle, browser: idleBrowser } = await signUpSubscriber();
  await notify(idle);
  await passTime();
  await gatherPushes(deps);
  await db.sql`update sessions set last_seen_at = now() - interval '15 days' where user_id = ${idle.user.id}`;
  await deps.pushes.runDue();
  expect([browser.received(), idleBrowser.received()]).toEqual([[], []]);
});

test('an endpoint that no longer exists is removed with its queued messages', async () => {
  const { account, browser } = await signUpSubscriber();
  respondWith(browser, 410);
  await notify(account);
  await push();
  expect((await (await account.get('/api/push')).json()).endpoint).toBeNull();
  expect(await queuedMessages()).toEqual([]);
});

test('messages to an unavailable push service are retried with back-off for a day', async () => {
  const { account, browser } = await signUpSubscriber();
  respondWith(browser, 503);
  await notify(account);
  await push();
  const [first] = await queuedMessages();
  expect(first).toMatchObject({ attempts: 1, isFailed: false });
  // The first delay is 5 to 10 seconds and the second 10 to 20, less the time that has passed since.
  expect(first?.waitS).toBeGreaterThan(3);
  expect(first?.waitS).toBeLessThanOrEqual(10);
  await deps.pushes.runDue();
  await passTime();
  await deps.pushes.runDue();
  const [second] = await queuedMessages();
  expect(second?.attempts).toBe(2);
  expect(second?.waitS).toBeGreaterThan(9);

  service.responders.clear();
  await passTime();
  await deps.pushes.runDue();
  expect(browser.received().at(-1)?.message.title).toBe('Your poll was removed');
  expect(await queuedMessages()).toEqual([]);

  respondWith(browser, 503);
  await notify(account);
  await push();
  await db.sql`update push_queue set created_at = now() - interval '25 hours'`;
  await passTime();
  await deps.pushes.runDue();
  expect(await queuedMessages()).toMatchObject([{ isFailed: true }]);
});

test.each([
  ['twenty new messages', 0],
  ['twenty retries', 1],
])('%s to an endpoint that does not respond do not delay a message to another', async (_, attempts) => {
  const [silent, other] = [await signUpSubscriber(), await signUpSubscriber()];
  const waiting: ServerResponse[] = [];
  service.responders.set(pathOf(silent.browser), (response) => waiting.push(response));
  await Promise.all([notify(silent.account), notify(other.account)]);
  await passTime();
  await gatherPushes(deps);
  await db.sql`
    insert into push_queue (subscription_id, first_id, last_id, attempts)
    select push_queue.subscription_id, first_id, last_id, ${attempts} from generate_series(1, 20), push_queue
    join push_subscriptions on push_subscriptions.id = subscription_id
    where endpoint = ${silent.browser.subscription.endpoint}`;
  // The other message has been due for the shortest time.
  await db.sql`
    update push_queue set next_attempt_at = now() - make_interval(secs => case
      when endpoint = ${other.browser.subscription.endpoint} then 1 else 2 end)
    from push_subscriptions where push_subscriptions.id = subscription_id`;
  const sending = deps.pushes.runDue();
  await vi.waitFor(() => expect(other.browser.received()).toHaveLength(1), 5_000);
  service.responders.clear();
  for (const response of waiting) response.writeHead(201).end();
  await sending;
});

test('a message is given up after several attempts without any response', async () => {
  const { account } = await signUpSubscriber();
  await notify(account);
  await passTime();
  await gatherPushes(deps);
  const send = () => Promise.reject(new PushError('No response', 'timeout'));
  const compose = async () => '{}';
  const runner = createPushRunner({ db, log: deps.log, sender: { send }, compose });
  await runner.runDue();
  expect(await queuedMessages()).toMatchObject([{ attempts: 1, isFailed: false }]);
  await db.sql`update push_queue set attempts = 10`;
  await passTime();
  await runner.runDue();
  expect(await queuedMessages()).toMatchObject([{ attempts: 11, isFailed: false }]);
  await passTime();
  await runner.runDue();
  expect(await queuedMessages()).toMatchObject([{ attempts: 12, isFailed: true }]);
});

test('a message that the push service rejects permanently is given up without affecting other devices', async () => {
  const { account, browser } = await signUpSubscriber();
  const otherDevice = app.visitor();
  await otherDevice.post('/api/login', { username: account.user.username, password: account.password });
  const otherBrowser = await subscribe(otherDevice);
  respondWith(browser, 403);
  await notify(account);
  await push();
  expect(await queuedMessages()).toMatchObject([{ attempts: 1, isFailed: true }]);
  expect(otherBrowser.received()).toHaveLength(1);
});

test('a message leased by a killed process is sent once the lease has expired, with the tag of its notification', async () => {
  const { account, browser } = await signUpSubscriber();
  await notify(account);
  await passTime();
  await gatherPushes(deps);
  // Leases the message like a process that was killed before it recorded the outcome.
  expect(await leaseDue(db, PUSH_QUEUE, { limit: 1 })).toHaveLength(1);
  await deps.pushes.runDue();
  expect(browser.received()).toEqual([]);
  await passTime();
  await deps.pushes.runDue();
  await deps.pushes.runDue();
  const received = browser.received();
  expect(received).toHaveLength(1);
  // If the killed process had sent the message too, this copy would replace it on the device, since both have the same tag.
  expect(received[0]?.message.tag).toBe(`notification-${received[0]?.topic.slice(1)}`);
});

test('a round processes a limited number of users, and the next round continues', async () => {
  const countDue = async () => {
    const [row] = await db.sql<[{ count: number }]>`
      select count(*)::int as count from notifications where is_push_due`;
    return row.count;
  };
  await db.sql`
    with crowd as (
      insert into users (username, email, password_hash, referral_code)
      select 'crowd' || n, 'crowd' || n || '@example.org', '-', lpad(n::text, 8, '0') from generate_series(1, 1200) n
      returning id
    )
    insert into notifications (user_id, kind) select id, 'removed' from crowd`;
  await passTime();
  await gatherPushes(deps);
  expect(await countDue()).toBe(200);
  await gatherPushes(deps);
  expect(await countDue()).toBe(0);
});
