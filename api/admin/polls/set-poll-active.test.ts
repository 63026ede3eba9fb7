import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { auditOf, signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { connect, receivedOf, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { pollActionSchema } from '#shared/admin/schema.ts';
import { REPORTS_TO_HIDE } from '#shared/reports/constants.ts';

const app = await createTestApp();
const { db } = app;
const address = await serveLive(app);
let admin: TestUser;
let maker: TestUser;
let voter: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  admin = await signUpAdmin(app);
  maker = await app.signUp({ username: 'maker' });
  voter = await app.signUp({ username: 'voter' });
  stranger = await app.signUp({ username: 'stranger' });
});

const changePoll = (id: string, verb: 'activate' | 'deactivate') =>
  admin.post(`/api/admin/polls/${id}/${verb}`);
const feedOf = async (user: TestUser) => (await user.get('/api/questions')).text();

describe('deactivating a poll', () => {
  test('closes the poll and removes it from the feed and from trending polls at once', async () => {
    const poll = await openPoll(app, maker);
    await postVote(voter, poll.id, 1);
    expect(await feedOf(stranger)).toContain(poll.id);
    expect(await (await stranger.get('/api/trending')).text()).toContain(poll.id);
    const socket = await connect(address, stranger);

    const response = await changePoll(poll.id, 'deactivate');
    expect(response.status).toBe(200);
    const { poll: changed } = pollActionSchema.parse(await response.json());
    expect(changed).toMatchObject({ id: poll.id, active: false, status: 'inactive', rev: 3, votesCount: 1 });
    expect(await feedOf(stranger)).not.toContain(poll.id);
    expect(await (await stranger.get('/api/trending')).text()).not.toContain(poll.id);
    const voteResponse = await postVote(stranger, poll.id, 1);
    expect(voteResponse.status).toBe(409);
    expect(await voteResponse.json()).toMatchObject({ code: 'poll_closed' });
    // At most one message is sent per poll and second, and the vote has just caused one.
    await vi.waitFor(
      () => expect(receivedOf(socket, 'poll.votes').at(-1)).toMatchObject({ status: 'inactive', rev: 3 }),
      { timeout: 5_000 },
    );
    socket.ws.close();
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('makes the poll inaccessible except to its maker, its voters and administrators', async () => {
    const poll = await openPoll(app, maker);
    await postVote(voter, poll.id, 1);
    await changePoll(poll.id, 'deactivate');
    const statusFor = async (user: TestUser) => (await user.get(`/api/questions/${poll.id}`)).status;
    expect(await Promise.all([maker, voter, admin].map(statusFor))).toEqual([200, 200, 200]);
    expect(await statusFor(stranger)).toBe(404);
    expect(await (await maker.get('/api/user/questions')).text()).toContain(poll.id);
  });

  test('is undone by activating the poll, which notifies open screens', async () => {
    const poll = await openPoll(app, maker);
    await changePoll(poll.id, 'deactivate');
    expect(await feedOf(stranger)).not.toContain(poll.id);
    const socket = await connect(address, stranger);
    const response = await changePoll(poll.id, 'activate');
    expect(pollActionSchema.parse(await response.json()).poll).toMatchObject({ status: 'active', rev: 3 });
    expect(await feedOf(stranger)).toContain(poll.id);
    await vi.waitFor(() => expect(receivedOf(socket, 'poll.created')).toMatchObject([{ id: poll.id }]));
    socket.ws.close();
    expect((await postVote(stranger, poll.id, 1)).status).toBe(200);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('is idempotent, and recorded only when it changes the poll', async () => {
    const poll = await openPoll(app, maker);
    const revs: number[] = [];
    for (const verb of ['deactivate', 'deactivate', 'activate', 'activate'] as const) {
      const response = await changePoll(poll.id, verb);
      expect(response.status).toBe(200);
      revs.push((await response.json()).poll.rev);
    }
    expect(revs).toEqual([2, 2, 3, 3]);
    expect(await auditOf(app, `poll ${poll.id}`)).toEqual([
      { adminId: admin.user.id, action: 'poll.deactivate' },
      { adminId: admin.user.id, action: 'poll.activate' },
    ]);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('concurrently with activating it keeps the counters correct', async () => {
    const poll = await openPoll(app, maker);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        changePoll(poll.id, index % 2 === 0 ? 'deactivate' : 'activate'),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('counts each concurrent vote or refuses it', async () => {
    const poll = await openPoll(app, maker, { responsesWanted: '20' });
    const voters: TestUser[] = [];
    for (let count = 0; count < 8; count += 1) voters.push(await app.signUp());
    const voting = voters.map((voter) => postVote(voter, poll.id, 1, randomUUID()));
    const [deactivated, ...votes] = await Promise.all([changePoll(poll.id, 'deactivate'), ...voting]);
    expect(deactivated.status).toBe(200);
    for (const { status } of votes) expect([200, 409]).toContain(status);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('and activating it later does not reopen a poll that has expired', async () => {
    const poll = await openPoll(app, maker);
    await changePoll(poll.id, 'deactivate');
    await db.sql`update polls set closes_at = now() - interval '1 second' where id = ${poll.id}`;
    const response = await changePoll(poll.id, 'activate');
    expect(await response.json()).toMatchObject({ poll: { active: true, status: 'expired' } });
  });

  test('is recorded while the poll is hidden, and takes effect once it is shown again', async () => {
    const { poll } = await reportedPoll(app, REPORTS_TO_HIDE);
    for (const [verb, state] of [
      ['deactivate', 'inactive'],
      ['deactivate', 'inactive'],
      ['activate', 'active'],
    ] as const) {
      const response = await changePoll(poll.id, verb);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        message: `The poll is hidden. It will be ${state} once it is shown again.`,
        poll: { active: false, hidden: true },
      });
    }
    expect(await auditOf(app, `poll ${poll.id}`)).toEqual([
      { adminId: admin.user.id, action: 'poll.deactivate' },
      { adminId: admin.user.id, action: 'poll.activate' },
    ]);
    await changePoll(poll.id, 'deactivate');
    await decide(admin, poll.id, 'keep');
    expect(await (await admin.get(`/api/questions/${poll.id}`)).json()).toMatchObject({ status: 'inactive' });
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('takes effect even if another administrator shows the hidden poll at the same moment', async () => {
    const { poll } = await reportedPoll(app, REPORTS_TO_HIDE);
    let responses: Promise<Response[]> = Promise.resolve([]);
    await inTransaction(db, async (tx) => {
      // The decision has changed the poll, and waits for this row before its commit.
      await tx.sql`select from poll_totals for update`;
      const deciding = decide(admin, poll.id, 'keep');
      await setTimeout(100);
      responses = Promise.all([deciding, changePoll(poll.id, 'deactivate')]);
      await setTimeout(100);
    });
    expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
    expect(await (await admin.get(`/api/questions/${poll.id}`)).json()).toMatchObject({ status: 'inactive' });
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test.each(['x', randomUUID()])('responds with 404 for the unknown id %s', async (id) => {
    for (const verb of ['activate', 'deactivate'] as const)
      expect((await changePoll(id, verb)).status).toBe(404);
  });
});
