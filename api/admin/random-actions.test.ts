import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { damagedImages, storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import {
  FILES_PER_POLL,
  givePoints,
  openPoll,
  postClose,
  postPoll,
  postVote,
} from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const RUNS = 5;
const USERS = 4;

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
const deletedPollIds: string[] = [];

/** `user`, `poll` and `key` are indexes into the lists of `World`, including deleted users and polls. */
type Action =
  | { kind: 'vote'; user: number; poll: number; option: 1 | 2; key: number }
  | { kind: 'create'; user: number; key: number }
  | { kind: 'close'; user: number; poll: number; key: number }
  | { kind: 'delete_user' | 'suspend' | 'unsuspend'; user: number }
  | { kind: 'delete' | 'deactivate' | 'activate'; poll: number };

const user = fc.nat(USERS - 1);
const poll = fc.nat(5);
/** Few keys, so that some actions repeat others, and some are refused because another action had their key. */
const key = fc.nat(9);
const option = fc.constantFrom<1 | 2>(1, 2);

function action<Kind extends Action['kind'], Fields extends object>(
  weight: number,
  kinds: readonly Kind[],
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
) {
  const arbitrary = fc
    .tuple(fc.constantFrom(...kinds), fc.record(fields))
    .map(([kind, values]) => ({ ...(values as Fields), kind }));
  return { weight, arbitrary };
}

const actionArbitrary: fc.Arbitrary<Action> = fc.oneof(
  action(20, ['vote'], { user, poll, option, key }),
  action(5, ['create'], { user, key }),
  action(8, ['close'], { user, poll, key }),
  action(3, ['delete_user'], { user }),
  action(4, ['suspend', 'unsuspend'], { user }),
  action(3, ['delete'], { poll }),
  action(6, ['deactivate', 'activate'], { poll }),
);

class World {
  readonly users: TestUser[] = [];
  readonly pollIds: string[] = [];
  readonly keys = Array.from({ length: 10 }, () => randomUUID());

  static async create(): Promise<World> {
    const world = new World();
    for (let count = 0; count < USERS; count += 1) {
      const client = await app.signUp();
      await givePoints(app, client.user.id, 30);
      world.users.push(client);
    }
    for (const client of world.users.slice(0, 3)) world.pollIds.push((await openPoll(app, client)).id);
    return world;
  }

  /** Performs an action and returns the status of the response. */
  async perform(action: Action): Promise<number> {
    const client = 'user' in action ? this.users[action.user] : undefined;
    const pollId = 'poll' in action ? (this.pollIds[action.poll % this.pollIds.length] ?? '') : '';
    const userPath = `/api/admin/users/${client?.user.id}`;
    switch (action.kind) {
      case 'vote':
        return client ? (await postVote(client, pollId, action.option, this.keys[action.key])).status : 0;
      case 'create': {
        if (!client) return 0;
        const id = randomUUID();
        this.pollIds.push(id);
        return (await postPoll(client, { id }, { 'Idempotency-Key': this.keys[action.key] ?? '' })).status;
      }
      case 'close':
        return client ? (await postClose(client, pollId, this.keys[action.key])).status : 0;
      case 'delete_user':
        return (await admin.delete(userPath)).status;
      case 'suspend':
      case 'unsuspend':
        return (await admin.post(`${userPath}/${action.kind}`)).status;
      case 'delete':
        deletedPollIds.push(pollId);
        return (await admin.delete(`/api/admin/polls/${pollId}`)).status;
      case 'deactivate':
      case 'activate':
        return (await admin.post(`/api/admin/polls/${pollId}/${action.kind}`)).status;
    }
  }
}

test('the invariants hold after random concurrent actions of users and administrators', async () => {
  const batches = fc.array(fc.array(actionArbitrary, { minLength: 2, maxLength: 10 }), {
    minLength: 2,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(batches, async (history) => {
      const world = await World.create();
      for (const batch of history) {
        const statuses = await Promise.all(batch.map((action) => world.perform(action)));
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
        expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
      }
      expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
      const [{ polls }] = await db.sql<[{ polls: number }]>`select count(*)::int as polls from polls`;
      expect(await storedFiles(uploadsFolder(deps))).toHaveLength(polls * FILES_PER_POLL);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
