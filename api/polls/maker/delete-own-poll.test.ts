import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, pointsOf, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { connect, receivedOf, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, deps } = app;
const address = await serveLive(app);
/** The ids of deleted polls, whose voters keep their points. */
const deletedPollIds: string[] = [];
let maker: TestUser;
let voter: TestUser;

beforeAll(async () => {
  maker = await app.signUp();
  voter = await app.signUp();
});

function deletePoll(id: string, user = maker): Promise<Response> {
  deletedPollIds.push(id);
  return user.delete(`/api/questions/${id}`);
}

const listFiles = async () => (await storedFiles(uploadsFolder(deps))).sort();

describe('deleting one’s own poll', () => {
  test('removes it for everyone, with its votes and images; voters keep their points, and nothing is refunded', async () => {
    const filesBefore = await listFiles();
    const poll = await openPoll(app, maker);
    await postVote(voter, poll.id, 1);
    const points = [await pointsOf(maker), await pointsOf(voter)];
    const socket = await connect(address, voter);

    const response = await deletePoll(poll.id);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: 'The poll was deleted.' });
    for (const user of [maker, voter]) {
      expect((await user.get(`/api/questions/${poll.id}`)).status).toBe(404);
      const feed = await (await user.get('/api/questions?includeCount=true')).json();
      expect(feed).toMatchObject({ data: [], pagination: { total: 0 } });
    }
    expect(await (await maker.get('/api/user/questions')).json()).toEqual([]);
    expect((await app.visitor().get(poll.option1Image)).status).toBe(404);
    expect([await pointsOf(maker), await pointsOf(voter)]).toEqual(points);
    expect(await listFiles()).toEqual(filesBefore);
    await vi.waitFor(() => expect(receivedOf(socket, 'poll.removed')).toMatchObject([{ id: poll.id }]));
    socket.ws.close();
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test('succeeds once, and responds with 404 afterwards', async () => {
    const poll = await openPoll(app, maker);
    const responses = await Promise.all(Array.from({ length: 5 }, () => deletePoll(poll.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect((await deletePoll(randomUUID())).status).toBe(404);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test('is refused for the poll of somebody else, also for administrators', async () => {
    const poll = await openPoll(app, maker);
    for (const user of [voter, await signUpAdmin(app)]) {
      const response = await user.delete(`/api/questions/${poll.id}`);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'not_yours' });
    }
    expect((await app.visitor().delete(`/api/questions/${poll.id}`)).status).toBe(401);
    expect((await voter.get(`/api/questions/${poll.id}`)).status).toBe(200);
  });

  test('does not create it again when its creation is repeated', async () => {
    const id = randomUUID();
    const user = await app.signUp();
    await openPoll(app, user, { id });
    await deletePoll(id, user);
    expect(await (await postPoll(user, { id })).json()).toMatchObject({ poll: null });
  });

  test('of a removed poll is refused, and keeps its images for an administrator’s Undo', async () => {
    const { poll, maker } = await reportedPoll(app, 1);
    await decide(await signUpAdmin(app), poll.id, 'remove');
    const filesBefore = await listFiles();
    expect((await maker.delete(`/api/questions/${poll.id}`)).status).toBe(404);
    expect((await db.sql`select from polls where id = ${poll.id}`).count).toBe(1);
    expect(await listFiles()).toEqual(filesBefore);
  });

  test('does not touch a poll that is removed at the same moment', async () => {
    const { poll, maker } = await reportedPoll(app, 1);
    const admin = await signUpAdmin(app);
    const [deletion, decision] = await Promise.all([
      maker.delete(`/api/questions/${poll.id}`),
      decide(admin, poll.id, 'remove'),
    ]);
    expect([deletion.status, decision.status].sort()).toEqual([200, 404]);
    const { count } = await db.sql`select from polls where id = ${poll.id}`;
    expect(count).toBe(deletion.status === 200 ? 0 : 1);
  });
});
