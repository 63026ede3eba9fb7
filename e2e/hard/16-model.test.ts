import fc from 'fast-check';
import {
  type ApiResponse,
  type Change,
  closingOf,
  creationOf,
  outcomeOf,
  type TestUser,
  voteOf,
} from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertUsers } from './seed-data.ts';
import type { Stage } from './stage.ts';

const RUNS = 300;
const STEPS = 40;
const USERS = 3;
const START_POINTS = 30;
const POLL_COST = 10;
const SEED = Number(process.env.HARD_SEED ?? Date.now() % 2 ** 31);

/** A step. `user` and `item` are indexes of lists. `replay` repeats a sent change, `reuse` sends another one with its key. */
type Step =
  | { do: 'create'; user: number }
  | { do: 'vote'; user: number; item: number; option: 1 | 2 }
  | { do: 'close'; user: number; item: number }
  | { do: 'delete'; item: number }
  | { do: 'replay'; item: number; times: number }
  | { do: 'reuse'; user: number; item: number };

const userIndex = fc.nat(USERS - 1);
const itemIndex = fc.nat(1_000);
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), user: userIndex }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('vote' as const),
      user: userIndex,
      item: itemIndex,
      option: fc.constantFrom(1 as const, 2 as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('close' as const), user: userIndex, item: itemIndex }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), item: itemIndex }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('replay' as const),
      item: itemIndex,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reuse' as const), user: userIndex, item: itemIndex }),
  },
);

type ModelPoll = {
  id: string;
  maker: TestUser;
  votes: Map<TestUser, 1 | 2>;
  isClosed: boolean;
  isDeleted: boolean;
};
type SentChange = { change: Change; expected: string; poll: ModelPoll };

/** A model of the server's state, which predicts the response to each change. */
class Model {
  readonly #stage: Stage;
  readonly #admin: TestUser;
  readonly #users: TestUser[];
  readonly points = new Map<TestUser, number>();
  readonly polls: ModelPoll[] = [];
  readonly sentChanges: SentChange[] = [];

  constructor(stage: Stage, admin: TestUser, users: TestUser[]) {
    this.#stage = stage;
    this.#admin = admin;
    this.#users = users;
    for (const user of users) this.points.set(user, START_POINTS);
  }

  async do(step: Step): Promise<void> {
    switch (step.do) {
      case 'create':
        return this.#create(this.#userAt(step.user));
      case 'vote':
        return this.#vote(this.#userAt(step.user), this.polls[step.item % this.polls.length], step.option);
      case 'close':
        return this.#close(this.#userAt(step.user), this.polls[step.item % this.polls.length]);
      case 'delete':
        return this.#delete(this.polls[step.item % this.polls.length]);
      case 'replay':
        return this.#replay(this.sentChanges[step.item % this.sentChanges.length], step.times);
      case 'reuse':
        return this.#reuse(this.sentChanges[step.item % this.sentChanges.length], this.#userAt(step.user));
    }
  }

  #userAt(index: number): TestUser {
    const user = this.#users[index];
    if (user === undefined) throw new Error(`There is no user ${index}.`);
    return user;
  }

  async #create(maker: TestUser): Promise<void> {
    const poll = { id: crypto.randomUUID(), maker, votes: new Map(), isClosed: false, isDeleted: false };
    const points = this.points.get(maker) ?? 0;
    const expected = points >= POLL_COST ? '201' : 'insufficient_points';
    await this.#send({ change: await creationOf(maker, { id: poll.id }), expected, poll });
    if (expected !== '201') return;
    this.points.set(maker, points - POLL_COST);
    this.polls.push(poll);
  }

  async #vote(voter: TestUser, poll: ModelPoll | undefined, option: 1 | 2): Promise<void> {
    if (poll === undefined) return;
    const expected = this.#refusalOf(voter, poll, option) ?? '200';
    const isFirst = !poll.votes.has(voter);
    await this.#send({ change: voteOf(voter, poll.id, option), expected, poll });
    if (expected !== '200' || !isFirst || poll.isDeleted) return;
    poll.votes.set(voter, option);
    this.points.set(voter, (this.points.get(voter) ?? 0) + 1);
  }

  #refusalOf(voter: TestUser, poll: ModelPoll, option: 1 | 2): string | null {
    const previousOption = poll.votes.get(voter);
    // For a vote on a deleted poll only the ledger entry remains, so a second vote succeeds with either option.
    if (poll.isDeleted) return previousOption === undefined ? 'not_found' : null;
    if (poll.maker === voter) return 'own_poll';
    if (previousOption === undefined) return poll.isClosed ? 'poll_closed' : null;
    return previousOption === option ? null : 'already_voted';
  }

  async #close(user: TestUser, poll: ModelPoll | undefined): Promise<void> {
    if (poll === undefined) return;
    const outcomeForMaker = poll.isClosed ? 'poll_closed' : '200';
    const outcomeOfPoll = poll.maker === user ? outcomeForMaker : 'not_yours';
    const expected = poll.isDeleted ? 'not_found' : outcomeOfPoll;
    await this.#send({ change: closingOf(user, poll.id), expected, poll });
    if (expected !== '200') return;
    poll.isClosed = true;
    this.points.set(user, (this.points.get(user) ?? 0) + POLL_COST - poll.votes.size);
  }

  async #delete(poll: ModelPoll | undefined): Promise<void> {
    if (poll === undefined) return;
    const response = await this.#stage.request(`/api/admin/polls/${poll.id}`, {
      method: 'DELETE',
      headers: { Cookie: this.#admin.cookie },
    });
    this.#compare(response, poll.isDeleted ? 'not_found' : '200', 'a deletion');
    poll.isDeleted = true;
    this.#stage.deletedPolls.push(poll.id);
  }

  async #replay(sent: SentChange | undefined, times: number): Promise<void> {
    if (sent === undefined) return;
    const responses = await Promise.all(
      Array.from({ length: times }, () => this.#stage.sendWithRetries(sent.change)),
    );
    for (const response of responses)
      this.#compare(response, sent.expected, `a replay of ${sent.change.path}`);
  }

  /**
   * Reuses the key of an earlier change for a vote on another poll. It is the oldest poll whose maker is not `excludedMaker`,
   * so that different steps choose different polls.
   */
  async #reuse(sent: SentChange | undefined, excludedMaker: TestUser): Promise<void> {
    const poll = this.polls.find(({ isDeleted, maker }) => !isDeleted && maker !== excludedMaker);
    // A change that was refused with not_found has no receipt.
    if (sent === undefined || poll === undefined || sent.poll === poll || sent.expected === 'not_found')
      return;
    const { user, key } = sent.change;
    const response = await this.#stage.sendWithRetries({ ...voteOf(user, poll.id, 1), key });
    this.#compare(response, 'key_reused', 'a reused key');
  }

  async #send(sent: SentChange): Promise<void> {
    this.#compare(await this.#stage.sendWithRetries(sent.change), sent.expected, sent.change.path);
    this.sentChanges.push(sent);
  }

  #compare(response: ApiResponse, expected: string, label: string): void {
    if (outcomeOf(response) !== expected)
      throw new Error(`${label}: ${response.status} ${response.text} instead of ${expected}`);
  }

  /** Compares what users see, balances and polls, with the model. */
  async check(): Promise<void> {
    for (const user of this.#users) {
      const { points } = JSON.parse((await this.#stage.get('/api/user', user)).text);
      if (points !== this.points.get(user))
        throw new Error(`${points} points instead of ${this.points.get(user)}`);
      const polls: { id: string; votesCount: number }[] = JSON.parse(
        (await this.#stage.get('/api/user/questions', user)).text,
      );
      const shownPolls = polls.map(({ id, votesCount }) => `${id} ${votesCount}`).sort();
      const ownPolls = this.polls.filter(({ maker, isDeleted }) => maker === user && !isDeleted);
      const expected = ownPolls.map(({ id, votes }) => `${id} ${votes.size}`).sort();
      if (shownPolls.join() !== expected.join())
        throw new Error(`the polls ${shownPolls} instead of ${expected}`);
    }
  }
}

hardTest(
  {
    number: 16,
    name: 'model of users, votes, polls, deletions and replays',
    load: `${RUNS} runs of ${STEPS} steps`,
  },
  async (stage, { record }) => {
    const { users, admins } = await stage.inspect(async (db) => ({
      users: await insertUsers(db, RUNS * USERS, START_POINTS),
      admins: await insertUsers(db, 1, 0, { isAdmin: true }),
    }));
    await stage.start();
    record(`seed ${SEED}`);
    let steps = 0;
    const property = fc.asyncProperty(
      fc.array(stepArbitrary, { minLength: STEPS, maxLength: STEPS }),
      async (history) => {
        const [admin] = admins;
        if (admin === undefined) throw new Error('There is no administrator.');
        const model = new Model(stage, admin, users.splice(0, USERS));
        for (const step of history) {
          await model.do(step);
          steps += 1;
        }
        await model.check();
      },
    );
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
    record(`${steps} steps`);
  },
);
