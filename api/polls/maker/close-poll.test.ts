import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { notifyOfExpiry } from '#api/notifications/expiry.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { kindsOf } from '#api/testing/notifications.ts';
import { makePoll, openPoll, pointsOf, postClose, postVote, putVote } from '#api/testing/poll-factory.ts';
import { connect, receivedOf, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { statusCodeAndMessage } from '#api/testing/test-client.ts';
import type { Poll } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db, deps } = app;
const address = await serveLive(app);
const admin = await signUpAdmin(app);
const voters = [await app.signUp(), await app.signUp(), await app.signUp()] as const;
let maker: TestUser;
let poll: Poll;

beforeEach(async () => {
  maker = await app.signUp();
  poll = await openPoll(app, maker, { responsesWanted: '30' });
});

const CLOSED = [409, 'poll_closed', 'This poll was closed early.'];

describe('closing a poll early', () => {
  test('refunds the unused responses in one entry, and shows the result to everyone', async () => {
    for (const voter of voters) await postVote(voter, poll.id, 1);
    const response = await postClose(maker, poll.id, randomUUID());
    expect(response.status).toBe(200);
    const closed = await response.json();
    expect(closed).toMatchObject({
      refunded: 27,
      user: { points: 37 },
      poll: { status: 'expired', closedEarly: true, active: true, votesCount: 3, rev: poll.rev + 4 },
    });
    expect(Date.parse(closed.poll.closesAt)).toBeLessThan(Date.parse(poll.closesAt));
    const pollForOthers = await (await (await app.signUp()).get(`/api/questions/${poll.id}`)).json();
    expect(pollForOthers).toMatchObject({ closedEarly: true, results: { option1: 3, option2: 0 } });
    const { data } = await (await maker.get('/api/activity?limit=1')).json();
    expect(data).toMatchObject([{ reason: 'refund', delta: 27, balance: 37, poll: { id: poll.id } }]);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('refunds all points of a poll without votes, and is refused with poll_closed for a completed poll', async () => {
    expect((await (await postClose(maker, poll.id)).json()).refunded).toBe(30);
    const completed = await openPoll(app, maker);
    await db.sql`update polls set responses_wanted = 10, votes1 = 10 where id = ${completed.id}`;
    expect(await statusCodeAndMessage(await postClose(maker, completed.id))).toEqual([
      409,
      'poll_closed',
      'This poll already has all the votes it asked for.',
    ]);
    // Votes that nobody has cast would violate the invariants that later tests check.
    await db.sql`update polls set votes1 = 0 where id = ${completed.id}`;
  });

  test.each(['is_sample', 'is_free'])('refunds nothing for a poll that was free (%s)', async (flag) => {
    await db.sql`delete from point_entries where source = ${`poll:${poll.id}`}`;
    await db.sql`update users set points = points + 30 where id = ${maker.user.id}`;
    await db.sql.unsafe(`update polls set ${flag} = true where id = '${poll.id}'`);
    const { refunded, poll: closed, user } = await (await postClose(maker, poll.id)).json();
    expect([refunded, closed.closedEarly, user.points]).toEqual([0, true, 40]);
    expect(closed.isFree).toBe(flag === 'is_free' ? true : undefined);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('refunds in proportion to what was paid', async () => {
    await db.sql`update point_entries set delta = -15 where source = ${`poll:${poll.id}`}`;
    await db.sql`update users set points = points + 15 where id = ${maker.user.id}`;
    await postVote(voters[0], poll.id, 1);
    // Of the 15 points, those for 29 of 30 responses, rounded down.
    expect((await (await postClose(maker, poll.id)).json()).refunded).toBe(14);
    // Later tests check the invariants, which a poll for 15 points violates: this makes it a free one.
    await db.sql`delete from point_entries where source in (${`poll:${poll.id}`}, ${`refund:${poll.id}`})`;
    await db.sql`update users set points = 40 where id = ${maker.user.id}`;
    await db.sql`update polls set is_free = true where id = ${poll.id}`;
  });

  test('is refused with not_yours for all users except the maker of the poll, even administrators, and with 401 for a visitor', async () => {
    for (const user of [voters[0], admin]) {
      expect((await statusCodeAndMessage(await postClose(user, poll.id))).slice(0, 2)).toEqual([
        403,
        'not_yours',
      ]);
    }
    expect((await app.visitor().post(`/api/questions/${poll.id}/close`)).status).toBe(401);
    expect(await pointsOf(maker)).toBe(10);
  });

  test.each(['x', randomUUID()])('responds with 404 for the unknown id %s', async (id) => {
    expect((await statusCodeAndMessage(await postClose(maker, id))).slice(0, 2)).toEqual([404, 'not_found']);
  });

  test('is refused with poll_closed for an expired or deactivated poll', async () => {
    await db.sql`update polls set closes_at = now() where id = ${poll.id}`;
    expect(await statusCodeAndMessage(await postClose(maker, poll.id))).toEqual([
      409,
      'poll_closed',
      'This poll has expired.',
    ]);
    const inactive = await openPoll(app, maker);
    await admin.post(`/api/admin/polls/${inactive.id}/deactivate`);
    expect(await statusCodeAndMessage(await postClose(maker, inactive.id))).toEqual([
      409,
      'poll_closed',
      'This poll is inactive.',
    ]);
    expect(await pointsOf(maker)).toBe(10);
  });

  test('stops votes and changes of votes', async () => {
    await postVote(voters[0], poll.id, 1);
    await postClose(maker, poll.id);
    expect(await statusCodeAndMessage(await postVote(voters[1], poll.id, 1, randomUUID()))).toEqual(CLOSED);
    expect(await statusCodeAndMessage(await putVote(voters[0], poll.id, 2, randomUUID()))).toEqual(CLOSED);
  });

  test('takes effect even if the clock of this process is behind that of the database', async () => {
    await postVote(voters[1], poll.id, 1);
    await postClose(maker, poll.id);
    await db.sql`
      update polls set closes_at = now() + interval '1 hour', closed_at = now() + interval '1 hour' where id = ${poll.id}`;
    expect(await statusCodeAndMessage(await postVote(voters[0], poll.id, 1))).toEqual(CLOSED);
    expect(await statusCodeAndMessage(await putVote(voters[1], poll.id, 2))).toEqual(CLOSED);
    expect(await (await voters[0].get(`/api/questions/${poll.id}`)).json()).toMatchObject({
      status: 'expired',
    });
  });

  test('persists, without a notification, when an administrator deactivates and activates the poll', async () => {
    await postClose(maker, poll.id);
    // As if the makers of all polls that have expired until now had been notified.
    await db.sql`update server_state set expiry_noted_until = now()`;
    await admin.post(`/api/admin/polls/${poll.id}/deactivate`);
    const response = await admin.post(`/api/admin/polls/${poll.id}/activate`);
    expect(await response.json()).toMatchObject({ poll: { status: 'expired', closedEarly: true } });
    expect(await statusCodeAndMessage(await postVote(voters[0], poll.id, 1))).toEqual(CLOSED);
    expect(await kindsOf(maker)).toEqual([]);
  });

  test('is refused with key_reused if it has the key of another call', async () => {
    const key = randomUUID();
    await postVote(maker, (await openPoll(app, voters[0])).id, 1, key);
    expect((await statusCodeAndMessage(await postClose(maker, poll.id, key))).slice(0, 2)).toEqual([
      422,
      'key_reused',
    ]);
  });
});

describe('a closing that is repeated', () => {
  test('gets the same response, without the poll if that was deleted, and refunds once', async () => {
    const key = randomUUID();
    const firstBody = await (await postClose(maker, poll.id, key)).json();
    const repeated = await postClose(maker, poll.id, key);
    expect([repeated.status, await repeated.json()]).toEqual([200, firstBody]);
    expect(await statusCodeAndMessage(await postClose(maker, poll.id, randomUUID()))).toEqual(CLOSED);
    const deletedPoll = await openPoll(app, maker);
    const deletedPollKey = randomUUID();
    await postClose(maker, deletedPoll.id, deletedPollKey);
    await db.sql`delete from polls where id = ${deletedPoll.id}`;
    await db.sql`update poll_totals set active = active - 1, total = total - 1`;
    const afterwards = await (await postClose(maker, deletedPoll.id, deletedPollKey)).json();
    expect(afterwards).toMatchObject({ poll: null, refunded: 10, user: { points: 50 } });
    expect((await postClose(maker, deletedPoll.id, randomUUID())).status).toBe(404);
    expect(await violatedInvariants(db, [deletedPoll.id])).toEqual([]);
  });

  test('does not count against the limit', async () => {
    const key = randomUUID();
    const firstBody = await (await postClose(maker, poll.id, key)).json();
    const { client, limits } = limitedClient(app, maker);
    await useUp(limits.closings, maker.user.id, { callsLeft: 1 });
    expect(await (await postClose(client, poll.id, key)).json()).toEqual(firstBody);
    const otherPoll = await makePoll(maker);
    expect((await postClose(client, otherPoll.id, randomUUID())).status).toBe(200);
    expect(
      (await statusCodeAndMessage(await postClose(client, otherPoll.id, randomUUID()))).slice(0, 2),
    ).toEqual([429, 'rate_limited']);
  });
});

test('a poll that was closed early causes no notification of its expiry', async () => {
  await postVote(voters[0], poll.id, 1);
  await postClose(maker, poll.id);
  await db.sql`
    update polls set closes_at = now() - interval '1 minute', closed_at = now() - interval '1 minute' where id = ${poll.id}`;
  await db.sql`update server_state set expiry_noted_until = now() - interval '1 hour'`;
  await notifyOfExpiry(deps);
  expect(await kindsOf(maker)).toEqual(['first_vote']);
});

test('every socket receives a live update about the closing, and only the maker’s one about the points', async () => {
  const [makerSocket, otherSocket] = [
    await connect(address, maker),
    await connect(address, await app.signUp()),
  ];
  const { refunded, user } = await (await postClose(maker, poll.id)).json();
  const expectVoteMessages = (socket: typeof makerSocket) =>
    expect.poll(() => receivedOf(socket, 'poll.votes').filter(({ id }) => id === poll.id));
  for (const socket of [makerSocket, otherSocket]) {
    await expectVoteMessages(socket).toMatchObject([
      { status: 'expired', closedEarly: true, rev: poll.rev + 1 },
    ]);
  }
  await expect
    .poll(() => receivedOf(makerSocket, 'user'))
    .toMatchObject([{ points: user.points, rev: user.rev }]);
  expect([refunded, receivedOf(otherSocket, 'user')]).toEqual([30, []]);
  for (const { ws } of [makerSocket, otherSocket]) ws.close();
});
