import fc from 'fast-check';
import { type ApiResponse, type Change, closingOf, creationOf, type Person, voteOf } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertPeople } from './people.ts';
import type { Stage } from './stage.ts';

const RUNS = 300;
const STEPS = 40;
const PEOPLE = 3;
const START_POINTS = 30;
const COST = 10;
const SEED = Number(process.env.HARD_SEED ?? Date.now() % 2 ** 31);

/** A step; `who` and `what` are indexes into lists. */
type Step =
  | { do: 'create'; who: number }
  | { do: 'vote'; who: number; what: number; option: 1 | 2 }
  | { do: 'close'; who: number; what: number }
  | { do: 'delete'; what: number }
  | { do: 'replay'; what: number; times: number }
  | { do: 'reuse'; who: number; what: number };

const who = fc.nat(PEOPLE - 1);
const what = fc.nat(1_000);
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), who }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('vote' as const),
      who,
      what,
      option: fc.constantFrom(1 as const, 2 as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const), who, what }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), what }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('replay' as const), what, times: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reuse' as const), who, what }) },
);

type ModelPoll = {
  id: string;
  maker: Person;
  votes: Map<Person, 1 | 2>;
  isClosed: boolean;
  isDeleted: boolean;
};
type Sent = { change: Change; expected: string; poll: ModelPoll };

/** A model of the server's state, which predicts the response to each change. */
class Model {
  readonly #stage: Stage;
  readonly #admin: Person;
  readonly #people: Person[];
  readonly points = new Map<Person, number>();
  readonly polls: ModelPoll[] = [];
  readonly sent: Sent[] = [];

  constructor(stage: Stage, admin: Person, people: Person[]) {
    this.#stage = stage;
    this.#admin = admin;
    this.#people = people;
    for (const person of people) this.points.set(person, START_POINTS);
  }

  async do(step: Step): Promise<void> {
    switch (step.do) {
      case 'create':
        return this.#create(this.#person(step.who));
      case 'vote':
        return this.#vote(this.#person(step.who), this.polls[step.what % this.polls.length], step.option);
      case 'close':
        return this.#close(this.#person(step.who), this.polls[step.what % this.polls.length]);
      case 'delete':
        return this.#delete(this.polls[step.what % this.polls.length]);
      case 'replay':
        return this.#replay(this.sent[step.what % this.sent.length], step.times);
      case 'reuse':
        return this.#reuse(this.sent[step.what % this.sent.length], this.#person(step.who));
    }
  }

  #person(nth: number): Person {
    const person = this.#people[nth];
    if (person === undefined) throw new Error(`There is no person ${nth}.`);
    return person;
  }

  async #create(maker: Person): Promise<void> {
    const poll = { id: crypto.randomUUID(), maker, votes: new Map(), isClosed: false, isDeleted: false };
    const points = this.points.get(maker) ?? 0;
    const expected = points >= COST ? '201' : 'insufficient_points';
    await this.#send({ change: await creationOf(maker, { id: poll.id }), expected, poll });
    if (expected !== '201') return;
    this.points.set(maker, points - COST);
    this.polls.push(poll);
  }

  async #vote(voter: Person, poll: ModelPoll | undefined, option: 1 | 2): Promise<void> {
    if (poll === undefined) return;
    const expected = this.#refusalOf(voter, poll, option) ?? '200';
    const isFirst = !poll.votes.has(voter);
    await this.#send({ change: voteOf(voter, poll.id, option), expected, poll });
    if (expected !== '200' || !isFirst || poll.isDeleted) return;
    poll.votes.set(voter, option);
    this.points.set(voter, (this.points.get(voter) ?? 0) + 1);
  }

  #refusalOf(voter: Person, poll: ModelPoll, option: 1 | 2): string | null {
    const own = poll.votes.get(voter);
    // For a vote on a deleted poll only the ledger entry remains, so a second vote succeeds with either option.
    if (poll.isDeleted) return own === undefined ? 'not_found' : null;
    if (poll.maker === voter) return 'own_poll';
    if (own === undefined) return poll.isClosed ? 'poll_closed' : null;
    return own === option ? null : 'already_voted';
  }

  async #close(person: Person, poll: ModelPoll | undefined): Promise<void> {
    if (poll === undefined) return;
    const refusal = poll.isClosed ? 'poll_closed' : null;
    const ofOthers = poll.maker === person ? refusal : 'not_yours';
    const expected = poll.isDeleted ? 'not_found' : (ofOthers ?? '200');
    await this.#send({ change: closingOf(person, poll.id), expected, poll });
    if (expected !== '200') return;
    poll.isClosed = true;
    this.points.set(person, (this.points.get(person) ?? 0) + COST - poll.votes.size);
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

  async #replay(sent: Sent | undefined, times: number): Promise<void> {
    if (sent === undefined) return;
    const responses = await Promise.all(
      Array.from({ length: times }, () => this.#stage.sendWithRetries(sent.change)),
    );
    for (const response of responses)
      this.#compare(response, sent.expected, `a replay of ${sent.change.path}`);
  }

  /** Reuses the key of an earlier change for a vote on another poll. */
  async #reuse(sent: Sent | undefined, other: Person): Promise<void> {
    const poll = this.polls.find(({ isDeleted, maker }) => !isDeleted && maker !== other);
    // A change that was refused with not_found has no receipt.
    if (sent === undefined || poll === undefined || sent.poll === poll || sent.expected === 'not_found')
      return;
    const { person, key } = sent.change;
    const response = await this.#stage.send({ ...voteOf(person, poll.id, 1), key });
    if (response !== null) this.#compare(response, 'key_reused', 'a reused key');
  }

  async #send(sent: Sent): Promise<void> {
    this.#compare(await this.#stage.sendWithRetries(sent.change), sent.expected, sent.change.path);
    this.sent.push(sent);
  }

  #compare({ status, code, text }: ApiResponse, expected: string, what: string): void {
    if ((code ?? String(status)) !== expected)
      throw new Error(`${what}: ${status} ${text} instead of ${expected}`);
  }

  /** Compares what users see, balances and polls, with the model. */
  async check(): Promise<void> {
    for (const person of this.#people) {
      const { points } = JSON.parse((await this.#stage.get('/api/user', person)).text);
      if (points !== this.points.get(person))
        throw new Error(`${points} points instead of ${this.points.get(person)}`);
      const polls: { id: string; votesCount: number }[] = JSON.parse(
        (await this.#stage.get('/api/user/questions', person)).text,
      );
      const seen = polls.map(({ id, votesCount }) => `${id} ${votesCount}`).sort();
      const own = this.polls.filter(({ maker, isDeleted }) => maker === person && !isDeleted);
      const expected = own.map(({ id, votes }) => `${id} ${votes.size}`).sort();
      if (seen.join() !== expected.join()) throw new Error(`the polls ${seen} instead of ${expected}`);
    }
  }
}

hardTest(
  16,
  'model of users, votes, polls, deletions and replays',
  `${RUNS} runs of ${STEPS} steps`,
  async (stage, { note }) => {
    const { people, admins } = await stage.inspect(async (db) => ({
      people: await insertPeople(db, RUNS * PEOPLE, START_POINTS),
      admins: await insertPeople(db, 1, 0, { isAdmin: true }),
    }));
    await stage.start();
    note(`seed ${SEED}`);
    let steps = 0;
    const property = fc.asyncProperty(
      fc.array(stepArbitrary, { minLength: STEPS, maxLength: STEPS }),
      async (history) => {
        const [admin] = admins;
        if (admin === undefined) throw new Error('There is no administrator.');
        const model = new Model(stage, admin, people.splice(0, PEOPLE));
        for (const step of history) {
          await model.do(step);
          steps += 1;
        }
        await model.check();
      },
    );
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
    note(`${steps} steps`);
  },
);
