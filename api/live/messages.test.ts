import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { givePoints, openPoll, postVote, putVote } from '#api/testing/poll-factory.ts';
import { connect, receivedOf, receivedTypes, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { LOGIN_POINTS, REFERRAL_SIGNUP_POINTS } from '#shared/points/constants.ts';
import type { LiveEvent } from './live-events.ts';

const app = await createTestApp();
const address = await serveLive(app);
let maker: TestUser;
let voter: TestUser;

beforeAll(async () => {
  maker = await app.signUp();
  voter = await app.signUp();
});

test('a ping gets a pong with the timestamps of both sides', async () => {
  const socket = await connect(address, voter);
  const sentAtMs = Date.now();
  socket.ws.send(JSON.stringify({ type: 'ping', timestamp: 1_700_000_000_123, more: 'ignored' }));
  socket.ws.send(JSON.stringify({ type: 'ping', timestamp: '2026-01-01T00:00:00Z' }));
  await expect.poll(() => socket.received.length).toBe(2);
  const [firstPong, secondPong] = receivedOf(socket, 'pong');
  expect(firstPong).toMatchObject({ type: 'pong', timestamp: 1_700_000_000_123 });
  expect(secondPong?.timestamp).toBe('2026-01-01T00:00:00Z');
  expect(firstPong?.serverTime).toBeGreaterThanOrEqual(sentAtMs);
  expect(firstPong?.serverTime).toBeLessThanOrEqual(Date.now());
  socket.ws.close();
});

test('everyone receives the new number of votes without voter and option, and only the voter receives points', async () => {
  const poll = await openPoll(app, maker);
  const voterSocket = await connect(address, voter);
  const secondVoterSocket = await connect(address, voter);
  const makerSocket = await connect(address, maker);
  await postVote(voter, poll.id, 2);
  await expect
    .poll(() =>
      [voterSocket, secondVoterSocket, makerSocket].map((socket) => receivedOf(socket, 'poll.votes').length),
    )
    .toEqual([1, 1, 1]);
  const [message] = receivedOf(makerSocket, 'poll.votes');
  expect(message).toEqual({
    type: 'poll.votes',
    id: poll.id,
    votesCount: 1,
    status: 'active',
    rev: poll.rev + 1,
    atMs: expect.any(Number),
  });
  const { points, rev } = await (await voter.get('/api/user')).json();
  for (const socket of [voterSocket, secondVoterSocket]) {
    expect(receivedOf(socket, 'user')).toMatchObject([{ type: 'user', points, rev }]);
  }
  expect(receivedTypes(makerSocket)).not.toContain('user');
  for (const { ws } of [voterSocket, secondVoterSocket, makerSocket]) ws.close();
});

test('a new notification, and reading it, are reported only to the sockets of its user', async () => {
  const poll = await openPoll(app, maker);
  const voterSocket = await connect(address, voter);
  const makerSocket = await connect(address, maker);
  await postVote(voter, poll.id, 1);
  await expect.poll(() => receivedTypes(makerSocket)).toContain('notifications');
  const [{ id }] = (await (await maker.get('/api/notifications')).json()).data;
  const countBefore = makerSocket.received.length;
  await maker.post('/api/notifications/read', { upTo: id });
  await expect.poll(() => receivedTypes(makerSocket).slice(countBefore)).toContain('notifications');
  expect(receivedTypes(voterSocket)).not.toContain('notifications');
  for (const { ws } of [makerSocket, voterSocket]) ws.close();
});

test('a changed vote publishes the new revision of the poll, but no points', async () => {
  const poll = await openPoll(app, maker);
  await postVote(voter, poll.id, 1);
  const published: LiveEvent[] = [];
  app.deps.live.relayTo((event) => published.push(event));
  await putVote(voter, poll.id, 2);
  await putVote(voter, poll.id, 2);
  expect(published).toEqual([
    { type: 'poll.votes', id: poll.id, votesCount: 1, status: 'active', rev: poll.rev + 2 },
  ]);
});

test('refused and repeated votes send nothing', async () => {
  const poll = await openPoll(app, maker);
  const socket = await connect(address, voter);
  const receivedOfPoll = () => receivedOf(socket, 'poll.votes').filter(({ id }) => id === poll.id);
  await postVote(voter, poll.id, 1);
  await expect.poll(receivedOfPoll).toMatchObject([{ rev: poll.rev + 1 }]);
  const published: LiveEvent[] = [];
  app.deps.live.relayTo((event) => published.push(event));
  await postVote(voter, poll.id, 1);
  await postVote(voter, poll.id, 2);
  await postVote(maker, poll.id, 1);
  expect(published).toEqual([]);
  // The socket receives this event after everything that was published before.
  const last = { type: 'poll.created', id: crypto.randomUUID() } as const;
  app.deps.live.publish(last);
  await expect.poll(() => receivedOf(socket, 'poll.created').at(-1)).toMatchObject(last);
  expect(receivedOfPoll()).toHaveLength(1);
  socket.ws.close();
});

test('a new poll is sent as its id, and the new points to its maker', async () => {
  const socket = await connect(address, voter);
  const makerSocket = await connect(address, maker);
  await givePoints(app, maker.user.id, 20);
  const poll = await openPoll(app, maker);
  await expect
    .poll(() => receivedOf(socket, 'poll.created'))
    .toEqual([{ type: 'poll.created', id: poll.id, atMs: expect.any(Number) }]);
  const { points } = await (await maker.get('/api/user')).json();
  await expect.poll(() => receivedOf(makerSocket, 'user').at(-1)).toMatchObject({ points });
  socket.ws.close();
  makerSocket.ws.close();
});

test('the removal of a poll is sent, and no message about the poll follows', async () => {
  const poll = await openPoll(app, maker);
  const socket = await connect(address, voter);
  const votes = { type: 'poll.votes', id: poll.id, votesCount: 1, status: 'active' } as const;
  app.deps.live.publish({ ...votes, rev: 2 });
  app.deps.live.publish({ ...votes, rev: 3 });
  app.deps.live.publish({ type: 'poll.removed', id: poll.id });
  // The second message about another poll is throttled for the same time, but published later: once it has arrived, a message
  // about the removed poll would have arrived, too.
  const otherId = crypto.randomUUID();
  app.deps.live.publish({ ...votes, id: otherId, rev: 2 });
  app.deps.live.publish({ ...votes, id: otherId, rev: 3 });
  await expect
    .poll(() => receivedOf(socket, 'poll.votes').filter(({ id }) => id === otherId))
    .toMatchObject([{ rev: 2 }, { rev: 3 }]);
  const messagesAboutPoll = socket.received.filter((message) => 'id' in message && message.id === poll.id);
  expect(messagesAboutPoll.map(({ type }) => type)).toEqual(['poll.votes', 'poll.removed']);
  socket.ws.close();
});

test('points for a login and a referral are sent to the user', async () => {
  const referrer = await app.signUp();
  const socket = await connect(address, referrer);
  await app.visitor().post('/api/login', { username: referrer.user.username, password: referrer.password });
  const pointsAfterLogin = referrer.user.points + LOGIN_POINTS;
  await expect.poll(() => receivedOf(socket, 'user')).toMatchObject([{ points: pointsAfterLogin }]);
  await app.signUp({ referralCode: referrer.user.referralCode });
  const points = pointsAfterLogin + REFERRAL_SIGNUP_POINTS;
  await expect.poll(() => receivedOf(socket, 'user').at(-1)).toMatchObject({ points });
  socket.ws.close();
});

test('many votes on one poll cause one message per second, the last with the final state', async () => {
  const voters = await Promise.all(Array.from({ length: 12 }, () => app.signUp()));
  const poll = await openPoll(app, maker, { responsesWanted: '12' });
  const socket = await connect(address, maker);
  const startedAtMs = performance.now();
  for (const user of voters) {
    await postVote(user, poll.id, 1);
    await sleep(100);
  }
  const last = () => receivedOf(socket, 'poll.votes').at(-1);
  await expect.poll(last).toMatchObject({ votesCount: 12, status: 'completed', rev: poll.rev + 12 });
  const messages = receivedOf(socket, 'poll.votes');
  // The first is sent at once, then at most one a second. The number of seconds depends on the machine.
  const seconds = (performance.now() - startedAtMs) / 1_000;
  expect(messages.length).toBeLessThanOrEqual(Math.floor(seconds) + 2);
  expect(messages.map(({ rev }) => rev)).toEqual(messages.map(({ rev }) => rev).toSorted((a, b) => a - b));
  socket.ws.close();
});

test('of 200 simultaneous changes of points, the user receives the first and, after a second, the last', async () => {
  const { user, cookies } = await app.signUp();
  const socket = await connect(address, { cookies });
  for (let rev = 1; rev <= 200; rev++) {
    app.deps.live.publish({ type: 'user', userId: user.id, points: rev, rev: 1_000 + rev });
  }
  await expect.poll(() => receivedOf(socket, 'user')).toMatchObject([{ points: 1 }, { points: 200 }]);
  socket.ws.close();
});
