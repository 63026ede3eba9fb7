import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, type Change, creationOf, voteOf } from './changes.ts';
import { insertPolls, insertUsers } from './seed-data.ts';
import type { Stage } from './stage.ts';

/** Where changes are sent, and whose database contains their users and polls. */
type Target = Pick<Stage, 'send' | 'inspect'>;

const CONNECTIONS = 16;
const RETRY_AFTER_MS = 50;
const GATEWAY_STATUSES = new Set([502, 504]);
const VOTES_PER_CREATION = 40;
/** Enough to pay for all creations. */
const POINTS = 100_000;

/** Sends votes and creations concurrently, and retries those without an outcome. */
export class Load {
  readonly #target: Target;
  /** Not yet sent, in order. */
  readonly #unsent: Change[];
  /** Sent without an outcome; to be retried. */
  #retries: Change[] = [];
  acknowledged = 0;
  /** Requests that got no response. */
  interrupted = 0;
  /** Responses 503 because the database or the image storage was unavailable. */
  unavailable = 0;
  /** Changes that a proxy has answered with 502 or 504 instead of the server. */
  readonly badGateways: Change[] = [];
  /** Responses that no change of this load should get. */
  readonly unexpected: string[] = [];
  #running: Promise<unknown> = Promise.resolve();
  readonly #listeners: (() => void)[] = [];

  constructor(target: Target, changes: Change[]) {
    this.#target = target;
    this.#unsent = changes;
  }

  /** Sends changes until `signal` aborts, then waits for requests in flight. */
  run(signal: AbortSignal, connections = CONNECTIONS): Promise<unknown> {
    const workers = Array.from({ length: connections }, () => this.#work(() => !signal.aborted));
    this.#running = Promise.all(workers);
    return this.#running;
  }

  /** Retries the changes that were sent and not acknowledged. */
  async finish(): Promise<void> {
    this.#unsent.length = 0;
    const hasRetries = () => this.#retries.length > 0;
    while (hasRetries()) await Promise.all(Array.from({ length: CONNECTIONS }, () => this.#work(hasRetries)));
  }

  /** Waits until the next change is acknowledged. Throws when the load has failed, or no changes are left. */
  async next(): Promise<void> {
    const acknowledged = new Promise<void>((resolve) => this.#listeners.push(resolve));
    const ended = this.#running.then(() => {
      throw new Error('The load has ended.');
    });
    await Promise.race([acknowledged, ended]);
  }

  async #work(shouldContinue: () => boolean): Promise<void> {
    while (shouldContinue()) {
      const change = this.#retries.shift() ?? this.#unsent.shift();
      if (change === undefined) return;
      const isFinal = this.#record(change, await this.#target.send(change));
      if (!isFinal) await sleep(RETRY_AFTER_MS);
    }
  }

  /** Records a response; returns whether it is final. */
  #record(change: Change, response: ApiResponse | null): boolean {
    if (response !== null && (response.status === 200 || response.status === 201)) {
      this.acknowledged += 1;
      for (const listener of this.#listeners.splice(0)) listener();
      return true;
    }
    if (response === null) this.interrupted += 1;
    else if (response.code === 'unavailable' && response.headers.has('Retry-After')) this.unavailable += 1;
    else if (GATEWAY_STATUSES.has(response.status)) this.badGateways.push(change);
    else if (response.code !== 'in_flight') {
      this.unexpected.push(`${change.path}: ${response.status} ${response.text}`);
      return true;
    }
    this.#retries.push(change);
    return false;
  }
}

/** Creates a load of at least `votes` different votes, with a new poll after every 40 votes. */
export async function createLoad(target: Target, votes: number): Promise<Load> {
  const side = Math.ceil(Math.sqrt(votes));
  const { users, polls } = await target.inspect(async (db) => ({
    users: await insertUsers(db, side, POINTS),
    polls: await insertPolls(db, side),
  }));
  const changes: Change[] = [];
  for (const poll of polls) {
    for (const [index, user] of users.entries()) {
      changes.push(voteOf(user, poll, index % 2 === 0 ? 1 : 2));
      if (changes.length % (VOTES_PER_CREATION + 1) !== VOTES_PER_CREATION) continue;
      changes.push(await creationOf(user, { id: crypto.randomUUID() }));
    }
  }
  return new Load(target, changes);
}
