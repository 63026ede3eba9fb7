import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { isReadOnly } from '#api/db/database-error.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { createTestDatabase, TEST_CONNECTIONS } from '#api/testing/servers/database.ts';
import { createTestApp, limitedClient } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';

const db = await createTestDatabase();
afterAll(() => db.close());
const app = await createTestApp({ db });
const users = [await app.signUp(), await app.signUp()];

const makeLongUnseen = () => db.sql`update sessions set last_seen_at = now() - interval '2 hours'`;
const countSeen = async () =>
  (await db.sql`select from sessions where last_seen_at > now() - interval '1 hour'`).count;
/** Sends a request of each user at the same time, so that one query reads both sessions. */
const statuses = async (clients: readonly TestClient[]) => {
  const responses = await Promise.all(clients.map((client) => client.get('/api/user')));
  return responses.map(({ status }) => status);
};

test('while the row of a session is locked, no request waits for it, and the last use is stored later', async () => {
  await makeLongUnseen();
  await inTransaction(db, async (tx) => {
    await tx.sql`select from sessions where user_id = ${users[0]?.user.id ?? 0} for update`;
    const startMs = performance.now();
    // So many that they would take up the pool if they waited for the lock, which takes four seconds.
    for (let round = 0; round < TEST_CONNECTIONS; round += 1)
      expect(await statuses(users)).toEqual([200, 200]);
    expect(performance.now() - startMs).toBeLessThan(3_000);
    await expect.poll(countSeen).toBe(1);
  });
  expect(await statuses(users)).toEqual([200, 200]);
  await expect.poll(countSeen).toBe(2);
});

test('on a standby, where the last use of a session cannot be stored, requests succeed, and the error is noticed', async () => {
  await makeLongUnseen();
  const url = new URL(db.url ?? '');
  url.searchParams.set('default_transaction_read_only', 'on');
  const standby = openPostgres(url.href);
  const errors: unknown[] = [];
  const noticeError = (error: unknown) => errors.push(error);
  const clients = users.map((user) => limitedClient(app, user, { db: { ...standby, noticeError } }).client);
  expect(await statuses(clients)).toEqual([200, 200]);
  await expect.poll(() => errors.map(isReadOnly)).toEqual([true, true]);
  expect(await countSeen()).toBe(0);
  await standby.close();
});
