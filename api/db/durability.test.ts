import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { backUp } from '#api/backup/back-up.ts';
import { restoreBackup } from '#api/backup/restore-backup.ts';
import { openSession } from '#api/http/session/sessions.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { damagedImages, storedFiles, violatedInvariants } from '#api/testing/invariants.ts';
import { FILES_PER_POLL } from '#api/testing/poll-factory.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  type ServerProcess,
  startServerProcess,
} from '#api/testing/servers/server-process.ts';
import type { Database } from './client.ts';
import { openDatabase } from './open-database.ts';
import { inTransaction } from './transaction.ts';

/**
 * Each cycle kills the server twice: in the middle of calls, and after all of them were repeated. `KILL_CYCLES` in the environment
 * sets another number.
 */
const CYCLES = Number(process.env.KILL_CYCLES ?? 2);
const USERS = 4;
const START_POINTS = 5_000;
const VOTES_PER_USER = 40;

type TestUser = { userId: number; cookie: string };
type Call = {
  user: TestUser;
  method: 'POST' | 'PUT';
  path: string;
  key: string;
  body: () => string | FormData;
  isAcknowledged: boolean;
};

const data = await createServerData();
const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl } = data.env;
afterAll(() => data.remove());

const env = { ...data.env, RATE_LIMITS: 'off', OWNER_PASSWORD: 'a password for the owner' };
const users = await createUsers();

async function startServer(): Promise<ServerProcess> {
  const server = await startServerProcess(env);
  await server.listening;
  return server;
}

async function kill({ child, exited }: ServerProcess): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}

async function createUsers(): Promise<TestUser[]> {
  return data.inspect(async (db) => {
    const users: TestUser[] = [];
    for (let index = 0; index < USERS; index += 1) {
      const user = await inTransaction(db, async (tx) => {
        const [row] = await tx.sql<[{ id: number }]>`
          insert into users (username, email, password_hash, referral_code)
          values (${`user${index}`}, ${`user${index}@example.org`}, 'none', ${`CODE${index}`})
          returning id`;
        const entry = { userId: row.id, delta: START_POINTS, reason: 'signup', source: 'signup' } as const;
        await creditPoints(tx, entry);
        return { userId: row.id, cookie: `sid=${await openSession(tx, row.id)}` };
      });
      users.push(user);
    }
    return users;
  });
}

/** Returns a function that makes the form, because each attempt to send it uses it up. */
async function pollForm(id: string): Promise<() => FormData> {
  const images = await Promise.all(
    ['#fd8e43', '#56bbf5'].map((background) =>
      sharp({ create: { width: 64, height: 48, channels: 3, background } })
        .jpeg()
        .toBuffer(),
    ),
  );
  return () => {
    const form = new FormData();
    form.set('id', id);
    form.set('question', 'Still here?');
    form.set('duration', '3');
    form.set('responsesWanted', '10');
    for (const [index, bytes] of images.entries()) {
      form.set(`option${index + 1}Image`, new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'a.jpg');
    }
    return form;
  };
}

/** Returns whether the complete response has arrived. Retries after a 503, as devices do. */
async function send(server: ServerProcess, call: Call): Promise<boolean> {
  const { user, method, path, key, body } = call;
  const payload = body();
  try {
    const response = await fetch(server.address + path, {
      method,
      body: payload,
      headers: {
        Cookie: user.cookie,
        'Idempotency-Key': key,
        'X-Expected-User': String(user.userId),
        ...(typeof payload === 'string' ? { 'Content-Type': 'application/json' } : {}),
      },
    });
    const text = await response.text();
    if (response.status === 503) {
      await sleep(Number(response.headers.get('Retry-After')) * 1_000);
      return await send(server, call);
    }
    if (response.status !== 200 && response.status !== 201) throw new Error(`${response.status} ${text}`);
    JSON.parse(text);
    return true;
  } catch (error) {
    // The connection was lost before the response, or in the middle of it.
    if (error instanceof TypeError || error instanceof SyntaxError) return false;
    throw error;
  }
}

function newCall(user: TestUser, path: string, body: Call['body'], method: Call['method'] = 'POST'): Call {
  return { user, method, path, key: uuidv4(), body, isAcknowledged: false };
}

const votePath = (pollId: string) => `/api/questions/${pollId}/vote`;
const voteFor = (option: 1 | 2) => () => JSON.stringify({ option });

/** For each user the creation of a poll, and a vote on each of these polls. */
async function newCalls(users: TestUser[], pollIds: string[]): Promise<Call[]> {
  const calls: Call[] = [];
  for (const user of users) {
    calls.push(newCall(user, '/api/questions', await pollForm(uuidv7())));
    calls.push(...pollIds.map((pollId) => newCall(user, votePath(pollId), voteFor(1))));
  }
  return calls;
}

/** Creates a poll of each user and votes on the poll `voted`, and returns the calls that close the poll and change the vote. */
async function newClosingsAndVoteChanges(server: ServerProcess, voted: string): Promise<Call[]> {
  const calls: Call[] = [];
  for (const user of users) {
    const own = uuidv7();
    await send(server, newCall(user, '/api/questions', await pollForm(own)));
    await send(server, newCall(user, votePath(voted), voteFor(1)));
    calls.push(newCall(user, `/api/questions/${own}/close`, () => ''));
    calls.push(newCall(user, votePath(voted), voteFor(2), 'PUT'));
  }
  return calls;
}

/** Inserts sample polls, on which every user may vote, directly into the tables. */
async function addPolls(count: number): Promise<string[]> {
  return data.inspect(async (db) => {
    const ids = Array.from({ length: count }, () => uuidv7());
    await db.sql`
      insert into polls (id, question, option1_image, option2_image, responses_wanted, duration_days, closes_at,
        is_sample)
      select id::uuid, 'Open?', '/placeholder-1.svg', '/placeholder-2.svg', 1000, 3, now() + interval '3 days', true
      from unnest(${`{${ids.join()}}`}::text[]) as id`;
    await db.sql`update poll_totals set active = active + ${count}, total = total + ${count}`;
    return ids;
  });
}

async function expectReceipts({ sql }: Database, calls: readonly Call[]): Promise<void> {
  for (const call of calls) {
    const [receipt] = await sql`
      select status from mutation_receipts
      where user_id = ${call.user.userId} and key = ${call.key} and status in (200, 201)`;
    expect(receipt, `acknowledged ${call.path}`).toBeDefined();
  }
}

const damagedImagesIn = (db: Database, folder: string) => damagedImages(db, join(folder, 'uploads'));

test('kill -9 during votes, changed votes, creations and closings loses no acknowledged op and leaves no partial op', {
  timeout: CYCLES * PROCESS_TEST_TIMEOUT_MS,
}, async () => {
  let unacknowledgedCalls = 0;
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const [voted = '', ...polls] = await addPolls(VOTES_PER_USER + 1);
    const newVotesAndCreations = await newCalls(users, polls);
    const firstServer = await startServer();
    const calls = [...(await newClosingsAndVoteChanges(firstServer, voted)), ...newVotesAndCreations]
      // In the order of their random keys, so that the kinds are mixed.
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const { promise: enoughCompleted, resolve: onEnoughCompleted } = Promise.withResolvers<void>();
    let remaining = randomInt(1, calls.length);
    const load = Promise.all(
      calls.map(async (call) => {
        call.isAcknowledged = await send(firstServer, call);
        remaining -= 1;
        if (remaining === 0) onEnoughCompleted();
      }),
    );
    // Kills the server after a random delay, but even on a fast machine before the last call has completed.
    await Promise.race([sleep(Math.random() * 400), enoughCompleted]);
    await kill(firstServer);
    await load;
    unacknowledgedCalls += calls.filter((call) => !call.isAcknowledged).length;

    await data.inspect(async (db) => {
      expect(await violatedInvariants(db)).toEqual([]);
      await expectReceipts(
        db,
        calls.filter((call) => call.isAcknowledged),
      );
    });

    const secondServer = await startServer();
    const repeated = await Promise.all(calls.map((call) => send(secondServer, call)));
    expect(repeated.every(Boolean)).toBe(true);
    await kill(secondServer);
    await data.inspect(async (db) => {
      expect(await violatedInvariants(db)).toEqual([]);
      const [{ count, ...others }] = await db.sql<[{ count: number; closed: number; voteChanges: number }]>`
          select count(*)::int as count, count(closed_at)::int as closed,
            (select sum(changes)::int from votes) as "voteChanges"
          from polls where not is_sample`;
      // In each cycle a user creates two polls, closes one of them and changes one vote.
      const changesPerKind = (cycle + 1) * USERS;
      expect(count).toBe(2 * changesPerKind);
      expect(others).toEqual({ closed: changesPerKind, voteChanges: changesPerKind });
      await expectReceipts(db, calls);
      const uploads = join(dataDir, 'uploads');
      expect(await storedFiles(uploads)).toHaveLength(count * FILES_PER_POLL);
      // In a folder that several processes share, unfinished uploads are removed only when they are old.
      if (databaseUrl === undefined) expect(await storedFiles(join(dataDir, 'incoming'))).toEqual([]);
    });
  }
  expect(unacknowledgedCalls).toBeGreaterThan(0);
  expect(await data.inspect((db) => damagedImagesIn(db, dataDir))).toEqual([]);
});

if (databaseUrl !== undefined) {
  test('backup and restore refuse PostgreSQL and name its own programs', async () => {
    await expect(backUp({ dataDir, databaseUrl }, null)).rejects.toThrow('pg_dump');
    await expect(restoreBackup({ dataDir, databaseUrl }, dataDir)).rejects.toThrow('pg_restore');
  });
} else {
  test('a backup made during votes has all votes acknowledged before it, and can be restored into an empty folder', {
    timeout: PROCESS_TEST_TIMEOUT_MS,
  }, async () => {
    const polls = await addPolls(20);
    const earlierCalls = await newCalls(users, polls.slice(0, 10));
    const concurrentCalls = await newCalls(users, polls.slice(10));
    const server = await startServer();
    await Promise.all(earlierCalls.map((call) => send(server, call)));
    const load = Promise.all(concurrentCalls.map((call) => send(server, call)));
    const backup = await backUp({ dataDir, databaseUrl: null }, join(dataDir, 'elsewhere'));
    await kill(server);
    await load;
    expect(await readdir(join(dataDir, 'backups'))).toEqual([]);

    const restored = { dataDir: join(dataDir, 'restored'), databaseUrl: null };
    const epoch = await restoreBackup(restored, backup);
    await expect(restoreBackup(restored, backup)).rejects.toThrow('DATA_DIR is not empty');
    const db = await openDatabase(restored, (error) => expect(error).toBeUndefined());
    try {
      expect(await violatedInvariants(db)).toEqual([]);
      await expectReceipts(db, earlierCalls);
      expect(await damagedImagesIn(db, restored.dataDir)).toEqual([]);
      expect(await db.sql`select epoch from server_state`).toEqual([{ epoch }]);
    } finally {
      await db.close();
    }

    const backupWithoutServer = await backUp({ dataDir, databaseUrl: null }, null);
    expect(await readdir(backupWithoutServer)).toEqual(['backup.json', 'db', 'jobs', 'uploads']);
  });
}
