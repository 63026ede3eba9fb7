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
import { Happenings, happeningOf } from './happenings.ts';
import { asFromNewerServer, type NewerServer } from './newer-server.ts';
import { createOlderServer, type OlderServer } from './older-server.ts';
import { type Fault, type FaultProxy, type Said, startFaultProxy } from './proxy.ts';
import { createRandomLimits, type RandomLimits } from './random-limits.ts';
import { RELEASES, readServerRelease } from './releases.ts';

/** An image for polls, once; small, since what is tested is the way and not the pipeline. */
export const IMAGE = await sharp({
  create: { width: 40, height: 30, channels: 3, background: '#56bbf5' },
})
  .webp()
  .toBuffer();

/** The real API on a real PostgreSQL behind a proxy that does what it is told to each request. */
export type World = {
  /** The application on the same database, with nothing on the way to it: to look at things and to prepare them. */
  test: TestApp;
  /** The servers that the devices reach. */
  cluster: Cluster;
  proxy: FaultProxy;
  limits: RandomLimits;
  newer: NewerServer;
  older: OlderServer;
  happenings: Happenings;
  /** What happens to the next requests but health checks, in order; afterwards nothing does. */
  faults: Fault[];
  /** What happens to the next attempts to send an op, in order, before `faults` has its turn. */
  opFaults: Fault[];
  /** What happens to the next requests with several votes, in order, before `faults` has its turn. */
  batchFaults: Fault[];
  /** What happens to this request. */
  drawFault(request: TransportRequest): Fault;
  /** From now on devices reach the older server, or no more; with two processes one of them is still of this commit. */
  replaceServer(isOlder: boolean): Promise<void>;
  /** Whether a request goes to the older server. */
  goesToOlderServer(request: TransportRequest): boolean;
  /** The final answers of the server's to each key, as `status code`. */
  answers: Map<string, Set<string>>;
  /** What the servers were asked to change, and have. */
  effects: EffectLog;
  /** Begins the chances of a history: the same seed, the same chances. */
  seedChances(seed: number): void;
  /** Forgets what the servers have buffered of the feed. */
  dropFeeds(): void;
  /** Makes open polls with 10 places, and returns their ids. */
  addPolls(makerId: number, count: number): Promise<string[]>;
  closePoll(id: string): Promise<void>;
  /** Closes the newest open poll of a user, or else one that they make for it, as on a device that is not watched. */
  closeEarly(maker: { user: User; newCookie(): Promise<string> }): Promise<void>;
  /** Gives a user so many notifications. */
  notify(userId: number, count: number): Promise<void>;
  deletePoll(id: string): Promise<void>;
  addUser(points: number): Promise<{
    user: User;
    /** As an answer to a login tells them. */
    readUser(): Promise<User>;
    newCookie(): Promise<string>;
  }>;
};

/** Answers that settle a key; the others leave it open. */
function isFinal(status: number, code: ErrorCode | undefined): boolean {
  // The next server may know the call.
  if (code === 'unknown_endpoint') return false;
  if (code === 'actor_mismatch' || code === 'in_flight') return false;
  return status < 300 || [402, 403, 404, 409].includes(status);
}

let count = 0;

/** Call it at the top of a test file and `close` it at its end. */
export async function createWorld(): Promise<World & { close(): Promise<void> }> {
  const database = await createTestDatabase();
  const databaseUrl = database.url;
  if (databaseUrl === null) throw new Error('The fault tests need a PostgreSQL server.');
  const test = await createTestApp({ db: database });
  let chance = 0;
  // The numbers of Park and Miller.
  const random = () => {
    chance = (chance * 48_271) % 2_147_483_647;
    return chance / 2_147_483_647;
  };
  const seedChances = (seed: number) => {
    chance = (seed % 2_147_483_646) + 1;
  };
  seedChances(0);
  const happenings = new Happenings();
  const limits = createRandomLimits({ test, random, happenings });
  const newer: NewerServer = { isOn: false, share: 0, hasMovedVotes: false };
  const release = RELEASES.map(readServerRelease).findLast((document) => document !== null);
  if (!release) throw new Error('No release has an openapi.json.');
  const older = createOlderServer(release);
  const cluster = await startCluster({ test, databaseUrl, limits: limits.limits, random, happenings });
  const faults: Fault[] = [];
  const answers = new Map<string, Set<string>>();
  const effects = new EffectLog();
  const note = ({ key, askedAt, status, body }: Said) => {
    const code: ErrorCode | undefined = body?.code;
    const route = effects.end(key, askedAt, { status, isFinal: isFinal(status, code) });
    const happening = route === null ? undefined : happeningOf(route, status, code);
    if (happening !== undefined) happenings.note(happening);
    if (!isFinal(status, code)) return;
    answers.set(key, (answers.get(key) ?? new Set()).add(`${status} ${code ?? ''}`));
  };
  const opFaults: Fault[] = [];
  const batchFaults: Fault[] = [];
  const proxy = await startFaultProxy({
    route: cluster.route,
    onAsked: (calls) => effects.begin(calls),
    onSaid: note,
    rewrite: (answer, call) =>
      asFromNewerServer(older.withoutNewFields(answer, call), newer, random, happenings),
  });

  const admin = await signUpAdmin(test, { username: 'in.charge' });
  /** What an administrator asks for; a poll may be gone already. */
  async function ask(asking: Promise<Response>): Promise<void> {
    const { ok, status } = await asking;
    if (!ok && status !== 404) throw new Error(`The administrator was answered ${status}.`);
    dropFeeds();
  }
  function dropFeeds(): void {
    test.deps.feed.drop();
    cluster.dropFeeds();
  }

  /** A poll that its maker has paid for; null when they have too few points. */
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
    happenings,
    faults,
    opFaults,
    batchFaults,
    drawFault(request) {
      const keys = keysOf(request);
      if (keys.length > 1) happenings.note('several votes went in one request');
      const fault =
        (keys.length > 0 ? opFaults.shift() : undefined) ??
        (keys.length > 1 ? batchFaults.shift() : undefined) ??
        // What is meant for the calls that matter is not spent on the connection monitor's.
        (request.path === '/api/health' ? undefined : faults.shift()) ??
        'none';
      if (keys.length > 1 && fault !== 'none') happenings.note('a request with several votes met a fault');
      return fault;
    },
    async replaceServer(isOlder) {
      older.isOn = isOlder;
      // A release without reports lists what is hidden. The statement of a report sets the column, too.
      await (isOlder && cluster.processes === 1
        ? test.db.sql`update users set hides_polls = false where hides_polls`
        : test.db.sql`
            update users set hides_polls = true
            where id in (select user_id from poll_reports union select user_id from user_blocks)`);
      dropFeeds();
    },
    goesToOlderServer({ method, path }) {
      if (!older.isOn || (cluster.processes === 2 && random() < 0.5)) return false;
      happenings.note(
        older.knows(method, path)
          ? 'an answer came from an older server'
          : 'a server did not know a call yet',
      );
      return true;
    },
    answers,
    effects,
    seedChances,
    dropFeeds,
    async addUser(points) {
      count += 1;
      const nth = count;
      const name = `user-${nth}`;
      const userId = await inTransaction(test.db, async (tx) => {
        const [row] = await tx.sql<[{ id: number }]>`
          insert into users (username, email, password_hash, referral_code)
          values (${name}, ${`${name}@example.org`}, 'none', ${`CODE${nth}`}) returning id`;
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
    // Past the server's code, so that a history begins at once.
    addPolls: (makerId, polls) =>
      inTransaction(test.db, async (tx) => {
        const rows = await tx.sql<{ id: string }[]>`
          insert into polls (id, user_id, question, option1_image, option2_image, responses_wanted, duration_days,
            closes_at, is_sample)
          select gen_random_uuid(), ${makerId}, 'Poll', '/placeholder-1.svg', '/placeholder-2.svg', 10, 3,
            now() + interval '3 days', true from generate_series(1, ${polls}) returning id`;
        await addToTotals(tx, { active: polls, total: polls });
        return rows.map(({ id }) => id);
      }).finally(dropFeeds),
    async closeEarly({ user, newCookie }) {
      const [open] = await test.db.sql<[{ id: string }?]>`
        select id from polls where user_id = ${user.id} and active and closed_at is null and not is_sample order by id desc limit 1`;
      const id = open?.id ?? (await addPaidPoll(user.id));
      if (id === null) return;
      const { publicUrl } = test.deps.env;
      const headers = { Cookie: await newCookie(), Origin: publicUrl };
      const path = `/api/questions/${id}/close`;
      await ask(Promise.resolve(test.app.request(publicUrl + path, { method: 'POST', headers })));
      happenings.note('a poll was closed early');
    },
    async notify(userId, notifications) {
      await test.db.sql`
        insert into notifications (user_id, kind) select ${userId}, 'removed' from generate_series(1, ${notifications}::int)`;
    },
    closePoll: (id) => ask(admin.post(`/api/admin/polls/${id}/deactivate`)),
    deletePoll: (id) => ask(admin.delete(`/api/admin/polls/${id}`)),
    async close() {
      await proxy.close();
      await cluster.stop();
      await database.close();
    },
  };
}
