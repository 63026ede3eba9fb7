import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Change, creationOf, voteOf } from './changes.ts';
import { insertPeople, insertPolls } from './people.ts';
import type { Stage } from './stage.ts';

/** Where changes are sent, and whose database has their people and polls. */
type Target = Pick<Stage, 'send' | 'inspect'>;

const CONNECTIONS = 16;
const RETRY_AFTER_MS = 50;
const BAD_GATEWAY = new Set([502, 504]);
const VOTES_A_CREATION = 40;
/** Enough for all creations. */
const POINTS = 100_000;

/** Votes and creations under load: what gets no answer, or no answer of its own, is sent again. */
export class Load {
  readonly #target: Target;
  /** Not yet sent, in order; sent and not answered. */
  readonly #fresh: Change[];
  #waiting: Change[] = [];
  answered = 0;
  /** Requests whose connection was lost. */
  interrupted = 0;
  /** Answers of a server whose database was away. */
  unavailable = 0;
  /** What a proxy whose server was away has refused. */
  readonly badGateways: Change[] = [];
  /** Answers that no change of this load should get. */
  readonly wrong: string[] = [];
  #running: Promise<unknown> = Promise.resolve();
  readonly #listeners: (() => void)[] = [];

  constructor(target: Target, changes: Change[]) {
    this.#target = target;
    this.#fresh = changes;
  }

  /** Sends until `signal` aborts, then waits for the answers that are due. */
  run(signal: AbortSignal, connections = CONNECTIONS): Promise<unknown> {
    const working = Array.from({ length: connections }, () => this.#work(() => !signal.aborted));
    this.#running = Promise.all(working);
    return this.#running;
  }

  /** Sends again what was sent and never answered. */
  async finish(): Promise<void> {
    this.#fresh.length = 0;
    const isLeft = () => this.#waiting.length > 0;
    while (isLeft()) await Promise.all(Array.from({ length: CONNECTIONS }, () => this.#work(isLeft)));
  }

  /** Waits for the next change that takes effect. Throws when the load can go on no more. */
  async next(): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.#listeners.push(resolve)), this.#running]);
  }

  async #work(isOn: () => boolean): Promise<void> {
    while (isOn()) {
      const change = this.#waiting.shift() ?? this.#fresh.shift();
      if (change === undefined) return;
      this.#note(change, await this.#target.send(change)) || (await sleep(RETRY_AFTER_MS));
    }
  }

  /** Whether the change is done with. */
  #note(change: Change, answer: Answer | null): boolean {
    if (answer !== null && (answer.status === 200 || answer.status === 201)) {
      this.answered += 1;
      for (const listener of this.#listeners.splice(0)) listener();
      return true;
    }
    if (answer === null) this.interrupted += 1;
    else if (answer.code === 'unavailable' && answer.headers.has('Retry-After')) this.unavailable += 1;
    else if (BAD_GATEWAY.has(answer.status)) this.badGateways.push(change);
    else if (answer.code !== 'in_flight') {
      this.wrong.push(`${change.path}: ${answer.status} ${answer.text}`);
      return true;
    }
    this.#waiting.push(change);
    return false;
  }
}

/** So many votes, each of another person or on another poll, and a new poll after every forty. */
export async function createLoad(target: Target, votes: number): Promise<Load> {
  const side = Math.ceil(Math.sqrt(votes));
  const { people, polls } = await target.inspect(async (db) => ({
    people: await insertPeople(db, side, POINTS),
    polls: await insertPolls(db, side),
  }));
  const changes: Change[] = [];
  for (const poll of polls) {
    for (const [nth, person] of people.entries()) {
      changes.push(voteOf(person, poll, nth % 2 === 0 ? 1 : 2));
      if (changes.length % (VOTES_A_CREATION + 1) !== VOTES_A_CREATION) continue;
      changes.push(await creationOf(person, { id: crypto.randomUUID() }));
    }
  }
  return new Load(target, changes);
}
