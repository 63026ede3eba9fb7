import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { damagedImages, storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { givePoints, openPoll, postClose, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const RUNS = 5;
const USERS = 4;
const FILES_PER_POLL = 4;

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
const deleted: string[] = [];

/** `who` and `what` are indexes into the lists of users and polls, including deleted ones. */
type Act =
  | { do: 'vote'; who: number; what: number; option: 1 | 2; key: number }
  | { do: 'make'; who: number; key: number }
  | { do: 'close'; who: number; what: number; key: number }
  | { do: 'delete_user' | 'suspend' | 'unsuspend'; who: number }
  | { do: 'delete' | 'deactivate' | 'activate'; what: number };

const who = fc.nat(USERS - 1);
const what = fc.nat(5);
/** Few keys, so that some acts repeat others, and some are refused because another act had their key. */
const key = fc.nat(9);
const option = fc.constantFrom<1 | 2>(1, 2);

function act<Kind extends Act['do'], Fields extends object>(
  weight: number,
  kinds: readonly Kind[],
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
) {
  const arbitrary = fc
    .tuple(fc.constantFrom(...kinds), fc.record(fields))
    .map(([kind, rest]) => ({ ...(rest as Fields), do: kind }));
  return { weight, arbitrary };
}

const actArbitrary: fc.Arbitrary<Act> = fc.oneof(
  act(20, ['vote'], { who, what, option, key }),
  act(5, ['make'], { who, key }),
  act(8, ['close'], { who, what, key }),
  act(3, ['delete_user'], { who }),
  act(4, ['suspend', 'unsuspend'], { who }),
  act(3, ['delete'], { what }),
  act(6, ['deactivate', 'activate'], { what }),
);

class World {
  readonly people: TestUser[] = [];
  readonly polls: string[] = [];
  readonly keys = Array.from({ length: 10 }, () => randomUUID());

  static async make(): Promise<World> {
    const world = new World();
    for (let count = 0; count < USERS; count += 1) {
      const person = await app.signUp();
      await givePoints(app, person.user.id, 30);
      world.people.push(person);
    }
    for (const person of world.people.slice(0, 3)) world.polls.push((await openPoll(app, person)).id);
    return world;
  }

  /** Performs an act and returns the status of the response. */
  async do(act: Act): Promise<number> {
    const person = 'who' in act ? this.people[act.who] : undefined;
    const poll = 'what' in act ? (this.polls[act.what % this.polls.length] ?? '') : '';
    const userIdColumn = `/api/admin/users/${person?.user.id}`;
    switch (act.do) {
      case 'vote':
        return person ? (await postVote(person, poll, act.option, this.keys[act.key])).status : 0;
      case 'make': {
        if (!person) return 0;
        const id = randomUUID();
        this.polls.push(id);
        return (await postPoll(person, { id }, { 'Idempotency-Key': this.keys[act.key] ?? '' })).status;
      }
      case 'close':
        return person ? (await postClose(person, poll, this.keys[act.key])).status : 0;
      case 'delete_user':
        return (await admin.delete(userIdColumn)).status;
      case 'suspend':
      case 'unsuspend':
        return (await admin.post(`${userIdColumn}/${act.do}`)).status;
      case 'delete':
        deleted.push(poll);
        return (await admin.delete(`/api/admin/polls/${poll}`)).status;
      case 'deactivate':
      case 'activate':
        return (await admin.post(`/api/admin/polls/${poll}/${act.do}`)).status;
    }
  }
}

test('the invariants hold after random concurrent actions of users and administrators', async () => {
  const batches = fc.array(fc.array(actArbitrary, { minLength: 2, maxLength: 10 }), {
    minLength: 2,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(batches, async (history) => {
      const world = await World.make();
      for (const batch of history) {
        const statuses = await Promise.all(batch.map((each) => world.do(each)));
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
        expect(await violatedInvariants(db, deleted)).toEqual([]);
      }
      expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
      const [{ polls }] = await db.sql<[{ polls: number }]>`select count(*)::int as polls from polls`;
      expect(await storedFiles(uploadsFolder(deps))).toHaveLength(polls * FILES_PER_POLL);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
