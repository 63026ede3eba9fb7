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

const actionArbitrary: fc.Arbitrary<Action> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('vote'), user, poll, option, key }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create'), user, key }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('close'), user, poll, key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete_user'), user }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('suspend', 'unsuspend'), user }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete'), poll }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('deactivate', 'activate'), poll }) },
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

  userAt(index: number): TestUser {
    const client = this.users[index];
    if (client === undefined) throw new Error(`There is no user ${index}.`);
    return client;
  }

  pollIdAt(index: number): string {
    return this.pollIds[index % this.pollIds.length] ?? '';
  }

  async perform(action: Action): Promise<Response> {
    switch (action.kind) {
      case 'vote': {
        const { user, poll, option, key } = action;
        return postVote(this.userAt(user), this.pollIdAt(poll), option, this.keys[key]);
      }
      case 'create': {
        const id = randomUUID();
        this.pollIds.push(id);
        const headers = { 'Idempotency-Key': this.keys[action.key] ?? '' };
        return postPoll(this.userAt(action.user), { id }, headers);
      }
      case 'close':
        return postClose(this.userAt(action.user), this.pollIdAt(action.poll), this.keys[action.key]);
      case 'delete_user':
        return admin.delete(`/api/admin/users/${this.userAt(action.user).user.id}`);
      case 'suspend':
      case 'unsuspend':
        return admin.post(`/api/admin/users/${this.userAt(action.user).user.id}/${action.kind}`);
      case 'delete': {
        const pollId = this.pollIdAt(action.poll);
        deletedPollIds.push(pollId);
        return admin.delete(`/api/admin/polls/${pollId}`);
      }
      case 'deactivate':
      case 'activate':
        return admin.post(`/api/admin/polls/${this.pollIdAt(action.poll)}/${action.kind}`);
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
        const responses = await Promise.all(batch.map((action) => world.perform(action)));
        expect(responses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
        expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
      }
      expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
      const [{ polls }] = await db.sql<[{ polls: number }]>`select count(*)::int as polls from polls`;
      expect(await storedFiles(uploadsFolder(deps))).toHaveLength(polls * FILES_PER_POLL);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
