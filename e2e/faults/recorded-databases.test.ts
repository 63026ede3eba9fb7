import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { requireUserRow, toOwnUser } from '#api/http/session/session-user.ts';
import { openSession } from '#api/http/session/sessions.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import type { User } from '#shared/accounts/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { DATABASE_PREFIX } from '#sync/client/db.ts';
import type { Op } from '#sync/operations/registry.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import type { Device, TestUser } from './device.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { missingImages } from './image-files.ts';
import { readView } from './recorded-view.ts';
import { RELEASES, type RecordedDevice, readRecordedDevice } from './releases.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { readDatabases, writeDatabases } from './stored-databases.ts';
import { logOut, vote } from './user-actions.ts';
import { createWorld, type World } from './world.ts';

/** Opens databases recorded by earlier releases with the engine of this commit. */

/** The time between the recording and the next start of the app. */
const REOPENED_AFTER_MS = 60_000;
const POINTS = 200;

let world: Awaited<ReturnType<typeof createWorld>>;

function rowsOf<Row>({ databases }: RecordedDevice, store: string): Row[] {
  return databases.flatMap(({ stores }) =>
    stores.flatMap(({ name, rows }) => (name === store ? (rows as Row[]) : [])),
  );
}

/** Creates the account of the recorded device, and the polls of its cache with the confirmed votes. */
async function addRecordedAccount(
  { test: { db }, dropListCaches }: World,
  recorded: RecordedDevice,
): Promise<TestUser> {
  const { userId } = recorded;
  const [account] = rowsOf<User>(recorded, 'user');
  if (account === undefined) throw new Error('The recorded device knows no user.');
  await inTransaction(db, async (tx) => {
    await tx.sql`
      insert into users (id, username, email, password_hash, referral_code, created_at)
      values (${userId}, 'nina.k', 'nina@example.org', 'none', ${account.referralCode}, ${account.createdAt})`;
    await creditPoints(tx, { userId, delta: POINTS, reason: 'signup', source: 'signup' });
    const polls = rowsOf<Poll>(recorded, 'polls');
    for (const { id, question, isMine, option1Image, option2Image } of polls) {
      await tx.sql`
        insert into polls (id, user_id, question, option1_image, option2_image, responses_wanted, duration_days,
          closes_at, is_sample)
        values (${id}, ${isMine ? userId : null}, ${question}, ${option1Image}, ${option2Image}, 20, 3,
          now() + interval '3 days', true)`;
    }
    await addToTotals(tx, { active: polls.length, total: polls.length });
  });
  dropListCaches();
  const newCookie = async () => `sid=${await openSession(db, userId)}`;
  for (const { id, votes } of rowsOf<Poll>(recorded, 'polls')) {
    const option = votes[0]?.option;
    if (option === undefined) continue;
    const response = await postVote(id, option, await newCookie());
    expect(response.status).toBe(200);
  }
  const readUser = async () => toOwnUser(await requireUserRow(db, userId));
  return { user: await readUser(), readUser, newCookie };
}

async function postVote(id: string, option: 1 | 2, cookie: string): Promise<Response> {
  const { app, deps } = world.test;
  const headers = { Cookie: cookie, Origin: deps.env.publicUrl, 'Content-Type': 'application/json' };
  return app.request(`${deps.env.publicUrl}/api/questions/${id}/vote`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ option }),
  });
}

test.each(RELEASES)('the databases of release %s hold votes and creations in every state', (release) => {
  const ops = rowsOf<Op>(readRecordedDevice(release), 'ops');
  for (const type of ['vote', 'createPoll']) {
    const states = ops.filter((op) => op.type === type).map(({ state }) => state);
    expect(new Set(states)).toEqual(
      new Set(['queued', 'sending', 'blocked_auth', 'rejected', 'needs_attention']),
    );
  }
  // The release candidate could not change votes.
  const changes = ops.filter((op) => op.type === 'changeVote').map(({ state }) => state);
  expect(changes.toSorted()).toEqual(release === '1.0.0-rc' ? [] : ['blocked_auth', 'rejected']);
});

describe.each(RELEASES)('a device with the databases of release %s', (release) => {
  const recorded = readRecordedDevice(release);
  const waiting = recorded.shown.waiting.map(({ opId }) => opId);
  let scenario: Scenario;
  let device: Device;
  let testUser: TestUser;

  beforeEach(async () => {
    world = await createWorld();
    scenario = createScenario(world);
    await writeDatabases(Dexie.dependencies.indexedDB, recorded.databases);
    testUser = await addRecordedAccount(world, recorded);
    device = scenario.addDevice(testUser, {
      name: DATABASE_PREFIX,
      clock: fakeClock(recorded.recordedAt + REOPENED_AFTER_MS),
    });
    return () => world.close();
  });

  const readShown = () =>
    device.withDb(recorded.userId, async (db) => readView(db, (await device.tab()).engine.serverNow()));

  test('shows the same as that release while offline', async () => {
    device.isOnline = false;
    const tab = await device.tab();
    await untilIdle([device]);
    expect(tab.engine.session.get()).toMatchObject({ status: 'user', user: { username: 'nina.k' } });
    const shown = await readShown();
    // Ops that were being sent are waiting again, because their leases have expired.
    const withoutStates = (ops: typeof shown.waiting) => ops.map(({ state: _, ...op }) => op);
    expect({ ...shown, waiting: withoutStates(shown.waiting) }).toEqual({
      ...recorded.shown,
      waiting: withoutStates(recorded.shown.waiting),
    });
    device.close();
  });

  test('sends each waiting op exactly once, and each refused op when it is retried', {
    timeout: 60_000,
  }, async () => {
    for (const opId of waiting) device.durableOps.set(opId, recorded.userId);
    await device.tab();
    await advanceClocks([device], 120_000);
    const { needsYou } = recorded.shown;
    const remaining = await scenario.queuedOps(device);
    expect(remaining.map(({ opId, state }) => ({ opId, state }))).toEqual(
      needsYou.map(({ opId, state }) => ({ opId, state })),
    );
    const receipts = await world.test.db.sql<{ key: string; code: string | null }[]>`
      select key, code from mutation_receipts where user_id = ${recorded.userId}`;
    expect(receipts).toHaveLength(waiting.length);
    expect(new Map(receipts.map(({ key, code }) => [key, code]))).toEqual(
      new Map(waiting.map((opId) => [opId, null])),
    );
    for (const { opId } of needsYou) {
      await device.perform(0, ({ engine }) => engine.tryAgain(opId));
    }
    await advanceClocks([device], 120_000);
    expect(await scenario.queuedOps(device)).toEqual([]);
    const created = await world.test.db.sql`
      select id from polls where user_id = ${recorded.userId} and not is_sample`;
    // One creation was recorded in each state.
    expect(created).toHaveLength(5);
    expect(await missingImages(world)).toEqual([]);
    await scenario.finish();
  });

  test('queues and sends new votes in addition to the recorded ones', async () => {
    const polls = await world.addPolls((await world.addUser(0)).user.id, 1);
    await vote(device, 0, polls, 1);
    await advanceClocks([device], 120_000);
    expect(await scenario.queuedOps(device)).toHaveLength(recorded.shown.needsYou.length);
    await scenario.finish();
  });

  test.each(['keep', 'discard'] as const)('can be logged out (%s waiting ops)', async (waitingOps) => {
    device.isOnline = false;
    await device.tab();
    await logOut(device, 0, waitingOps);
    await untilIdle([device]);
    const stored = await readDatabases(Dexie.dependencies.indexedDB, DATABASE_PREFIX);
    const rows = (store: string) => rowsOf<{ opId: string }>({ ...recorded, databases: stored }, store);
    for (const cache of ['polls', 'feed', 'mine', 'trending', 'user', 'listMeta']) {
      expect(rows(cache)).toEqual([]);
    }
    const { needsYou, waiting: waitingBefore } = recorded.shown;
    const keptOps = waitingOps === 'keep' ? [...needsYou, ...waitingBefore] : needsYou;
    const opIdsOf = (ops: readonly { opId: string }[]) => ops.map(({ opId }) => opId).toSorted();
    expect(opIdsOf(rows('ops'))).toEqual(opIdsOf(keptOps));
    const keptCreations = keptOps.filter(({ pictures }) => pictures > 0);
    expect(rows('opBlobs')).toHaveLength(2 * keptCreations.length);
    device.close();
  });
});
