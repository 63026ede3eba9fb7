import sharp from 'sharp';
import { inTransaction } from '#api/db/transaction.ts';
import { requireUserRow, toOwnUser } from '#api/http/session/session-user.ts';
import { openSession } from '#api/http/session/sessions.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { createTestApp, type TestApp } from '#api/testing/test-app.ts';
import type { User } from '#shared/accounts/schema.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { RESPONSES_MIN } from '#shared/polls/constants.ts';
import type { TransportRequest } from '#sync/client/capabilities.ts';
import { keysOf } from './batches.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { EffectLog } from './effect-log.ts';
import { EventCoverage, eventOfResponse } from './event-coverage.ts';
import { type NewerServer, toNewerResponse } from './newer-server.ts';
import { createOlderServer, type OlderServer } from './older-server.ts';
import { type Fault, type FaultProxy, type KeyedResponse, startFaultProxy } from './proxy.ts';
import { createRandomLimits, type RandomLimits } from './random-limits.ts';
import { RELEASES, readServerRelease } from './releases.ts';

/** The image of all polls that devices create; small, because these tests are not about image processing. */
export const IMAGE = await sharp({
  create: { width: 40, height: 30, channels: 3, background: '#56bbf5' },
})
  .webp()
  .toBuffer();

/** The real API on a real PostgreSQL, behind a proxy that injects faults. */
export type World = {
  /** The application on the same database without a proxy, for setup and inspection. */
  test: TestApp;
  /** The servers that the devices reach. */
  cluster: Cluster;
  proxy: FaultProxy;
  limits: RandomLimits;
  newer: NewerServer;
  older: OlderServer;
  coverage: EventCoverage;
  /** The faults of the next requests in order, not counting health checks; further requests have none. */
  faults: Fault[];
  /** The faults of the next attempts to send an op, in order; they take precedence over `faults`. */
  opFaults: Fault[];
  /** The faults of the next requests with several votes, in order; they take precedence over `faults`. */
  batchFaults: Fault[];
  /** Takes the fault of this request from the lists above. */
  drawFault(request: TransportRequest): Fault;
  /** Switches between the older server and the current one. With two processes only one of them becomes older. */
  switchServer(release: 'older' | 'current'): Promise<void>;
  /** Whether a request goes to the older server. */
  goesToOlderServer(request: TransportRequest): boolean;
  /** The final responses of the servers to each key, such as "409 poll_closed". */
  finalResponses: Map<string, Set<string>>;
  /** The requested and completed changes on the servers. */
  effects: EffectLog;
  /** Seeds the random numbers of a history. */
  seedRandom(seed: number): void;
  /** Empties the caches of shared lists (`listCache`) of all servers. */
  dropListCaches(): void;
  /** Creates open polls that want 10 responses, and returns their ids. */
  addPolls(makerId: number, count: number): Promise<string[]>;
  deactivatePoll(id: string): Promise<void>;
  /** Closes the newest open poll of a user, or a new one if there is none, as if on a device outside the test. */
  closeEarly(maker: { user: User; newCookie(): Promise<string> }): Promise<void>;
  /** Creates notifications for a user. */
  notify(userId: number, count: number): Promise<void>;
  deletePoll(id: string): Promise<void>;
  addUser(points: number): Promise<{
    user: User;
    /** The user as in the response to a login. */
    readUser(): Promise<User>;
    newCookie(): Promise<string>;
  }>;
};

/** Whether a response settles its key, so that every later response to the key has to agree. */
function isFinal(status: number, code: ErrorCode | undefined): boolean {
  // Another server may support the call.
  if (code === 'unknown_endpoint') return false;
  if (code === 'actor_mismatch' || code === 'in_flight') return false;
  return status < 300 || [402, 403, 404, 409].includes(status);
}

let usersAdded = 0;

/** Call it at the top of a test file, and `close` in `afterAll`. */
export async function createWorld(): Promise<World & { close(): Promise<void> }> {
  const database = await createTestDatabase();
  const databaseUrl = database.url;
  if (databaseUrl === null) throw new Error('The fault tests need a PostgreSQL server.');
  const test = await createTestApp({ db: database });
  let randomState = 0;
  // The Park–Miller generator.
  const random = () => {
    randomState = (randomState * 48_271) % 2_147_483_647;
    return randomState / 2_147_483_647;
  };
  const seedRandom = (seed: number) => {
    randomState = (seed % 2_147_483_646) + 1;
  };
  seedRandom(0);
  const coverage = new EventCoverage();
  const limits = createRandomLimits({ test, random, coverage });
  const newer: NewerServer = { isOn: false, unknownShare: 0, lacksVoteCalls: false };
  const release = RELEASES.map(readServerRelease).findLast((document) => document !== null);
  if (!release) throw new Error('No release has an openapi.json.');
  const older = createOlderServer(release);
  const cluster = await startCluster({ test, databaseUrl, limits: limits.limits, random, coverage });
  const faults: Fault[] = [];
  const finalResponses = new Map<string, Set<string>>();
  const effects = new EffectLog();
  const recordResponse = ({ key, requestedAt, status, body }: KeyedResponse) => {
    const code: ErrorCode | undefined = body?.code;
    const route = effects.end(key, requestedAt, { status, isFinal: isFinal(status, code) });
    const event = route === null ? undefined : eventOfResponse(route, status, code);
    if (event !== undefined) coverage.record(event);
    if (!isFinal(status, code)) return;
    finalResponses.set(key, (finalResponses.get(key) ?? new Set()).add(`${status} ${code ?? ''}`));
  };
  const opFaults: Fault[] = [];
  const batchFaults: Fault[] = [];
  const proxy = await startFaultProxy({
    route: cluster.route,
    onRequest: (calls) => effects.begin(calls),
    onResponse: recordResponse,
    rewrite: (response, call) =>
      toNewerResponse(older.withoutNewFields(response, call), newer, random, coverage),
  });

  const admin = await signUpAdmin(test, { username: 'test.admin' });
  /** Waits for a call that changes a poll, which may have been deleted. */
  async function expectDone(calling: Promise<Response>): Promise<void> {
    const { ok, status } = await calling;
    if (!ok && status !== 404) throw new Error(`The response to the change of a poll is ${status}.`);
    dropListCaches();
  }
  function dropListCaches(): void {
    test.deps.listCache.drop();
    cluster.dropListCaches();
  }

  /** Creates a poll that its maker pays for; null if they have too few points. */
  const addPaidPoll = (makerId: number) =>
    inTransaction(test.db, async (tx) => {
      const id = crypto.randomUUID();
      const cost = { userId: makerId, delta: -RESPONSES_MIN, reason: 'poll', source: `poll:${id}` } as const;
      if ((await creditPoints(tx, cost)) === null) return null;
      await tx.sql`
        insert into polls (id, user_id, question, option1_image, option2_image, responses_wanted, duration_days, closes_at)
        values (${id}, ${makerId}, 'Poll', '/placeholder-1.svg', '/placeholder-2.svg', ${RESPONSES_MIN}, 3,
          now() + interval '3 days')`;
      await addToTotals(tx, { active: 1, total: 1 });
      return id;
    });

  return {
    test,
    cluster,
    proxy,
    limits,
    newer,
    older,
    coverage,
    faults,
    opFaults,
    batchFaults,
    drawFault(request) {
      const keys = keysOf(request);
      if (keys.length > 1) coverage.record('a request had several votes');
      const fault =
        (keys.length > 0 ? opFaults.shift() : undefined) ??
        (keys.length > 1 ? batchFaults.shift() : undefined) ??
        // The connection monitor must not use up the faults.
        (request.path === '/api/health' ? undefined : faults.shift()) ??
        'none';
      if (keys.length > 1 && fault !== 'none') coverage.record('a request with several votes had a fault');
      return fault;
    },
    async switchServer(release) {
      older.isOn = release === 'older';
      // A release without reports also lists hidden polls, so the column that hides them is cleared. Otherwise it is set as by the
      // server: with two processes, the current one needs it.
      await (older.isOn && cluster.processes === 1
        ? test.db.sql`update users set hides_polls = false where hides_polls`
        : test.db.sql`
            update users set hides_polls = true
            where id in (select user_id from poll_reports union select user_id from user_blocks)`);
      dropListCaches();
    },
    goesToOlderServer({ method, path }) {
      if (!older.isOn || (cluster.processes === 2 && random() < 0.5)) return false;
      coverage.record(
        older.knows(method, path) ? 'an older server responded' : 'an older server did not know a call',
      );
      return true;
    },
    finalResponses,
    effects,
    seedRandom,
    dropListCaches,
    async addUser(points) {
      usersAdded += 1;
      const number = usersAdded;
      const name = `user-${number}`;
      const userId = await inTransaction(test.db, async (tx) => {
        const [row] = await tx.sql<[{ id: number }]>`
          insert into users (username, email, password_hash, referral_code)
          values (${name}, ${`${name}@example.org`}, 'none', ${`CODE${number}`}) returning id`;
        if (points > 0) {
          await creditPoints(tx, { userId: row.id, delta: points, reason: 'signup', source: 'signup' });
        }
        return row.id;
      });
      const readUser = async () => toOwnUser(await requireUserRow(test.db, userId));
      return {
        user: await readUser(),
        readUser,
        newCookie: async () => `sid=${await openSession(test.db, userId)}`,
      };
    },
    // Bypasses the server's code, so that a history starts quickly. Sample polls need no payment.
    addPolls: (makerId, polls) =>
      inTransaction(test.db, async (tx) => {
        const rows = await tx.sql<{ id: string }[]>`
          insert into polls (id, user_id, question, option1_image, option2_image, responses_wanted, duration_days,
            closes_at, is_sample)
          select gen_random_uuid(), ${makerId}, 'Poll', '/placeholder-1.svg', '/placeholder-2.svg', 10, 3,
            now() + interval '3 days', true from generate_series(1, ${polls}) returning id`;
        await addToTotals(tx, { active: polls, total: polls });
        return rows.map(({ id }) => id);
      }).finally(dropListCaches),
    async closeEarly({ user, newCookie }) {
      const [open] = await test.db.sql<[{ id: string }?]>`
        select id from polls where user_id = ${user.id} and active and closed_at is null and not is_sample order by id desc limit 1`;
      const id = open?.id ?? (await addPaidPoll(user.id));
      if (id === null) return;
      const { publicUrl } = test.deps.env;
      const headers = { Cookie: await newCookie(), Origin: publicUrl };
      const path = `/api/questions/${id}/close`;
      await expectDone(Promise.resolve(test.app.request(publicUrl + path, { method: 'POST', headers })));
      coverage.record('a poll was closed early');
    },
    async notify(userId, notifications) {
      await test.db.sql`
        insert into notifications (user_id, kind) select ${userId}, 'removed' from generate_series(1, ${notifications}::int)`;
    },
    deactivatePoll: (id) => expectDone(admin.post(`/api/admin/polls/${id}/deactivate`)),
    deletePoll: (id) => expectDone(admin.delete(`/api/admin/polls/${id}`)),
    async close() {
      await proxy.close();
      await cluster.stop();
      await database.close();
    },
  };
}
