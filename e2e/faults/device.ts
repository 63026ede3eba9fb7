import { v4 as uuidv4 } from 'uuid';
import type { User } from '#shared/auth/schema.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { Option } from '#shared/polls/schema.ts';
import { putUser } from '#sync/client/cache.ts';
import { openUserDb, type UserDb } from '#sync/client/db.ts';
import { drainLane } from '#sync/client/drain.ts';
import { noTrouble } from '#sync/client/lane-trouble.ts';
import { moveOps, queuePoll, queueVote, resetBackoff } from '#sync/client/outbox.ts';
import { fetchUser, type PullContext, pullFeed, pullMine } from '#sync/client/pull.ts';
import { fetchTransport } from '#sync/client/transport.ts';
import type { DrainContext, EngineEvent, Transport } from '#sync/client/types.ts';
import { LANES } from '#sync/protocol/op.ts';
import type { FakeClock } from '#sync/testing/fake-clock.ts';
import { type KillSwitch, killSwitch, step, watchSteps } from './kill-switch.ts';
import { PICTURE, type World } from './world.ts';

const encoder = new TextEncoder();

/** One browser of one user: its database outlives its tabs. */
export class Device {
  readonly events: EngineEvent[] = [];
  /** Every op that was ever stored here: what the person was promised. */
  readonly promised = new Set<string>();
  /** What went wrong on this device as it was watched, in words. */
  readonly broken: string[] = [];
  /** Keys that are on their way right now. */
  readonly #underWay = new Set<string>();
  readonly #newest = new Map<string, number>();
  /** Whose session the browser has now; null after it ended. */
  cookie: string | null;
  readonly user: User;
  readonly name: string;
  readonly #world: World;
  readonly #clock: FakeClock;
  #random: () => number;

  constructor(
    world: World,
    clock: FakeClock,
    options: { user: User; name: string; cookie: string; random: () => number },
  ) {
    this.#world = world;
    this.#clock = clock;
    this.user = options.user;
    this.name = options.name;
    this.cookie = options.cookie;
    this.#random = options.random;
  }

  /** The database as a tab sees it that lives until `killer` says otherwise. */
  #open(killer: KillSwitch): UserDb {
    const db = openUserDb(this.name, this.user.id);
    watchSteps(db, killer);
    return db;
  }

  async withDb<Result>(use: (db: UserDb) => Promise<Result>): Promise<Result> {
    const db = this.#open(killSwitch(null));
    try {
      return await use(db);
    } finally {
      db.close();
    }
  }

  #transport(killer: KillSwitch): Transport {
    const send = fetchTransport(this.#world.proxy.url);
    return async (request) => {
      step(killer);
      const cookie = this.cookie === null ? {} : { Cookie: this.cookie };
      const key = request.headers[IDEMPOTENCY_KEY_HEADER];
      if (key !== undefined && this.#underWay.has(key)) this.broken.push(`${key} was sent twice at once`);
      if (key !== undefined) this.#underWay.add(key);
      try {
        return await send({ ...request, headers: { ...request.headers, ...cookie } });
      } finally {
        if (key !== undefined) this.#underWay.delete(key);
        step(killer);
      }
    };
  }

  vote(pollId: string, option: Option): Promise<void> {
    return this.withDb(async (db) => {
      await queueVote(db, { userId: this.user.id, pollId, option }, this.#clock.now());
      await this.#note(db);
    });
  }

  create(responsesWanted: number, title: string): Promise<void> {
    const bytes = (text: string) => {
      // Bytes after the end of a picture are no part of it, but make each upload differ.
      const tail = encoder.encode(text);
      const all = new Uint8Array(PICTURE.length + tail.length);
      all.set(PICTURE);
      all.set(tail, PICTURE.length);
      return all.buffer;
    };
    const picture = (text: string) => ({ bytes: bytes(text), mime: 'image/webp', width: 40, height: 30 });
    return this.withDb(async (db) => {
      await queuePoll(
        db,
        this.user.id,
        {
          question: title,
          option1Caption: 'This',
          option2Caption: '',
          durationDays: 3,
          responsesWanted,
          pictures: [picture(`${title} 1`), picture(`${title} 2`)],
        },
        this.#clock.now(),
      );
      await this.#note(db);
    });
  }

  async #note(db: UserDb): Promise<void> {
    for (const op of await db.ops.toArray()) this.promised.add(op.opId);
  }

  /** A tab drains both lanes; with `steps` it is killed after so many. Tells whether it was. */
  async drain(steps: number | null = null): Promise<boolean> {
    const killer = killSwitch(steps);
    const db = this.#open(killer);
    const context: DrainContext = {
      transport: this.#transport(killer),
      clock: this.#clock,
      // No lock at all: nothing may depend on it.
      lock: { spansTabs: false, run: async (_, job) => job().then(() => true) },
      random: this.#random,
      db,
      userId: this.user.id,
      owner: uuidv4(),
      trouble: noTrouble(),
      emit: (event) => this.events.push(event),
      onAnswer: () => {},
      onBlocked: () => {},
    };
    await Promise.allSettled(LANES.map((lane) => drainLane(context, lane)));
    db.close();
    return killer.isDead;
  }

  /** Notes when what the device shows has gone back to an older revision. */
  async watch(): Promise<void> {
    const rows = await this.withDb(async (db) => [
      ...(await db.polls.toArray()),
      ...(await db.user.toArray()),
    ]);
    for (const { id, rev } of rows) {
      const before = this.#newest.get(String(id)) ?? 0;
      if (rev < before) this.broken.push(`${id} went back from ${before} to ${rev}`);
      this.#newest.set(String(id), Math.max(before, rev));
    }
  }

  /** The server can be reached again and the right user is signed in. */
  async recover(cookie: string): Promise<void> {
    this.cookie = cookie;
    await this.withDb(async (db) => {
      await moveOps(db, 'blocked_auth', 'queued');
      await resetBackoff(db);
    });
  }

  pull(): Promise<void> {
    return this.withDb(async (db) => {
      const context: PullContext = {
        transport: this.#transport(killSwitch(null)),
        db,
        userId: this.user.id,
        nowMs: this.#clock.now,
        onAnswer: () => {},
      };
      const readUser = async () => {
        const user = await fetchUser(context.transport, context.onAnswer);
        if (user !== null && user !== 'unreachable') await putUser(db, user);
      };
      // All at once, as an app does that has just been opened.
      await Promise.all([readUser(), pullFeed(context), pullMine(context)]);
    });
  }
}
