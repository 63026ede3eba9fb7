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
import { logOut, vote } from './acts.ts';
import { Device, type Person } from './device.ts';
import { lostImages } from './left-files.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { viewOf } from './recorded-view.ts';
import { RELEASES, type RecordedDevice, readRecordedDevice } from './releases.ts';
import { createStage, type Stage } from './stage.ts';
import { readDatabases, writeDatabases } from './stored-databases.ts';
import { createWorld, type World } from './world.ts';

/** Databases that earlier releases have left on devices, under the engine of this commit. */

/** How old they are when the app is opened again. */
const LATER_MS = 60_000;
const POINTS = 200;

function rowsOf<Row>({ databases }: RecordedDevice, store: string): Row[] {
  return databases.flatMap(({ stores }) =>
    stores.flatMap(({ name, rows }) => (name === store ? (rows as Row[]) : [])),
  );
}

/** The account of the recorded device, and the polls of its cache with the votes that it has had confirmed. */
async function addRecorded({ test: { db }, dropFeeds }: World, recorded: RecordedDevice): Promise<Person> {
  const { userId } = recorded;
  const [account] = rowsOf<User>(recorded, 'user');
  if (account === undefined) throw new Error('The recorded device knows no user.');
  await inTransaction(db, async (tx) => {
    await tx.sql`
      insert into users (id, username, email, password_hash, referral_code, created_at)
      values (${userId}, ${'nina.k'}, ${'nina@example.org'}, 'none', ${account.referralCode}, ${account.createdAt})`;
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
  dropFeeds();
  const newCookie = async () => `sid=${await openSession(db, userId)}`;
  for (const { id, votes } of rowsOf<Poll>(recorded, 'polls')) {
    const option = votes[0]?.option;
    if (option === undefined) continue;
    const answer = await fetchVote(id, option, await newCookie());
    expect(answer.status).toBe(200);
  }
  const readUser = async () => toOwnUser(await requireUserRow(db, userId));
  return { user: await readUser(), readUser, newCookie };
}

let world: Awaited<ReturnType<typeof createWorld>>;

async function fetchVote(id: string, option: 1 | 2, cookie: string): Promise<Response> {
  const { app, deps } = world.test;
  const headers = { Cookie: cookie, Origin: deps.env.publicUrl, 'Content-Type': 'application/json' };
  return app.request(`${deps.env.publicUrl}/api/questions/${id}/vote`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ option }),
  });
}

test.each(RELEASES)('the databases of release %s hold ops of every type and state', (release) => {
  const ops = rowsOf<Op>(readRecordedDevice(release), 'ops');
  for (const type of ['vote', 'createPoll']) {
    const states = ops.filter((op) => op.type === type).map(({ state }) => state);
    expect(new Set(states)).toEqual(
      new Set(['queued', 'sending', 'blocked_auth', 'rejected', 'needs_attention']),
    );
  }
  // The release candidate knew no changes of votes.
  const changes = ops.filter((op) => op.type === 'changeVote').map(({ state }) => state);
  expect(changes.toSorted()).toEqual(release === '1.0.0-rc' ? [] : ['blocked_auth', 'rejected']);
});

describe.each(RELEASES)('a device that release %s has left', (release) => {
  const recorded = readRecordedDevice(release);
  const waiting = recorded.shown.waiting.map(({ opId }) => opId);
  let stage: Stage;
  let device: Device;
  let person: Person;

  beforeEach(async () => {
    world = await createWorld();
    stage = createStage(world);
    await writeDatabases(Dexie.dependencies.indexedDB, recorded.databases);
    person = await addRecorded(world, recorded);
    device = new Device(world, {
      person,
      name: DATABASE_PREFIX,
      hasSharedLock: false,
      random: () => 0.5,
      clock: fakeClock(recorded.recordedAt + LATER_MS),
    });
    stage.devices.push(device);
    return () => world.close();
  });

  const view = () =>
    device.withDb(recorded.userId, async (db) => viewOf(db, (await device.tab()).engine.serverNow()));

  test('is shown as that release showed it, without a network', async () => {
    device.isOnline = false;
    const tab = await device.tab();
    await untilQuiet([device]);
    expect(tab.engine.session.get()).toMatchObject({ status: 'user', user: { username: 'nina.k' } });
    const shown = await view();
    // That it was on its way is over with its lease: then it waits like the others.
    const stateless = (ops: typeof shown.waiting) => ops.map(({ state: _, ...op }) => op);
    expect({ ...shown, waiting: stateless(shown.waiting) }).toEqual({
      ...recorded.shown,
      waiting: stateless(recorded.shown.waiting),
    });
    device.close();
  });

  test('sends what waits exactly once, and what is tried again too', async () => {
    for (const opId of waiting) device.promised.set(opId, recorded.userId);
    await device.tab();
    await passTime([device], 120_000);
    const { needsYou } = recorded.shown;
    const left = await stage.opsOf(device);
    expect(left.map(({ opId, state }) => ({ opId, state }))).toEqual(
      needsYou.map(({ opId, state }) => ({ opId, state })),
    );
    const receipts = await world.test.db.sql<{ key: string; code: string | null }[]>`
      select key, code from mutation_receipts where user_id = ${recorded.userId}`;
    expect(receipts).toHaveLength(waiting.length);
    expect(new Map(receipts.map(({ key, code }) => [key, code]))).toEqual(
      new Map(waiting.map((opId) => [opId, null])),
    );
    for (const { opId } of needsYou) {
      await device.act(0, ({ engine }) => engine.tryAgain(opId));
    }
    await passTime([device], 120_000);
    expect(await stage.opsOf(device)).toEqual([]);
    const made = await world.test.db.sql`
      select id from polls where user_id = ${recorded.userId} and not is_sample`;
    expect(made).toHaveLength(5);
    expect(await lostImages(world)).toEqual([]);
    await stage.endWell();
  });

  test('takes new votes beside the old ones', async () => {
    const polls = await world.addPolls((await world.addUser(0)).user.id, 1);
    await vote(device, 0, polls, 1);
    await passTime([device], 120_000);
    expect(await stage.opsOf(device)).toHaveLength(recorded.shown.needsYou.length);
    await stage.endWell();
  });

  test.each(['keep', 'discard'] as const)('can be logged out (%s)', async (kept) => {
    device.isOnline = false;
    await device.tab();
    await logOut(device, 0, kept);
    await untilQuiet([device]);
    const stored = await readDatabases(Dexie.dependencies.indexedDB, DATABASE_PREFIX);
    const rows = (store: string) => rowsOf<{ opId: string }>({ ...recorded, databases: stored }, store);
    for (const cache of ['polls', 'feed', 'mine', 'trending', 'user', 'listMeta']) {
      expect(rows(cache)).toEqual([]);
    }
    const { needsYou } = recorded.shown;
    const expected =
      kept === 'keep' ? [...needsYou.map(({ opId }) => opId), ...waiting] : needsYou.map(({ opId }) => opId);
    expect(
      rows('ops')
        .map(({ opId }) => opId)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(rows('opBlobs')).toHaveLength(
      2 *
        [...needsYou, ...(kept === 'keep' ? recorded.shown.waiting : [])].filter(
          ({ pictures }) => pictures > 0,
        ).length,
    );
    device.close();
  });
});
