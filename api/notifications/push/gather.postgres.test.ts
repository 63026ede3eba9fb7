import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { gatherPushes } from './gather.ts';

const app = await createTestApp();
const { db, deps } = app;

/** Signs up a user with a subscription and a notification that is to be pushed; returns their id. */
async function signUpNotified(): Promise<number> {
  const { id } = (await app.signUp()).user;
  await db.sql`
    insert into push_subscriptions (session_id, endpoint, p256dh, auth)
    select id, 'https://push.example.org/' || user_id, '', '' from sessions where user_id = ${id}`;
  await db.sql`
    insert into notifications (user_id, kind, created_at) values (${id}, 'removed', now() - interval '1 minute')`;
  return id;
}

test('a user who logs out meanwhile does not keep others from getting their push messages', async () => {
  const [leaverId, otherId] = [await signUpNotified(), await signUpNotified()];
  await inTransaction(db, async ({ sql }) => {
    await sql`delete from sessions where user_id = ${leaverId}`;
    await gatherPushes(deps);
  });
  const queued = await db.sql`
    select user_id from push_queue join push_subscriptions on push_subscriptions.id = subscription_id
    join sessions on sessions.id = session_id`;
  expect([...queued]).toEqual([{ user_id: otherId }]);
});
