import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { auditOf, signUpAdmin } from '#api/testing/admins.ts';
import { storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, pointsOf, postPoll, postVote, seedPolls } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { connect, receivedOf, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, deps } = app;
const address = await serveLive(app);
/** The ids of deleted polls, whose voters keep their points. */
const deletedPollIds: string[] = [];
let admin: TestUser;
let maker: TestUser;
let voter: TestUser;

beforeAll(async () => {
  admin = await signUpAdmin(app);
  maker = await app.signUp({ username: 'maker' });
  voter = await app.signUp({ username: 'voter' });
});

function deletePoll(id: string): Promise<Response> {
  deletedPollIds.push(id);
  return admin.delete(`/api/admin/polls/${id}`);
}

const listFiles = () => storedFiles(uploadsFolder(deps));

describe('deleting a poll', () => {
  test('removes the poll with its votes and images at once, and lets voters keep their points', async () => {
    const keptPoll = await openPoll(app, maker, { question: 'Kept?' });
    const filesBefore = await listFiles();
    const poll = await openPoll(app, maker, { question: 'Deleted?' });
    await postVote(voter, poll.id, 1);
    const points = await pointsOf(voter);
    expect(await (await voter.get('/api/questions?includeCount=true')).json()).toMatchObject({
      data: [{ id: poll.id }, { id: keptPoll.id }],
      pagination: { total: 2 },
    });
    const socket = await connect(address, voter);

    const response = await deletePoll(poll.id);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: 'The poll was deleted.' });
    const feed = await (await voter.get('/api/questions?includeCount=true')).json();
    expect(feed).toMatchObject({ data: [{ id: keptPoll.id }], pagination: { total: 1 } });
    expect((await maker.get(`/api/questions/${poll.id}`)).status).toBe(404);
    expect((await postVote(await app.signUp(), poll.id, 1)).status).toBe(404);
    expect(await pointsOf(voter)).toBe(points);
    expect((await listFiles()).sort()).toEqual(filesBefore.sort());
    await vi.waitFor(() => expect(receivedOf(socket, 'poll.removed')).toMatchObject([{ id: poll.id }]));
    socket.ws.close();
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
    expect(await auditOf(app, `poll ${poll.id}`)).toEqual([
      { adminId: admin.user.id, action: 'poll.delete' },
    ]);
  });

  test('responds with 404 when the poll has already been deleted', async () => {
    const poll = await openPoll(app, maker);
    const responses = await Promise.all(Array.from({ length: 5 }, () => deletePoll(poll.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect(await auditOf(app, `poll ${poll.id}`)).toHaveLength(1);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test.each(['x', randomUUID(), '1', `${randomUUID()}%00`])(
    'responds with 404 for the unknown id %s',
    async (id) => {
      const response = await admin.delete(`/api/admin/polls/${id}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'not_found' });
    },
  );

  test('does not make the id of the poll available to another poll', async () => {
    const id = randomUUID();
    await openPoll(app, maker, { id });
    await deletePoll(id);
    const repeatedCreation = await postPoll(maker, { id, question: 'Another poll?' });
    expect(repeatedCreation.status).toBe(200);
    expect((await repeatedCreation.json()).poll).toBeNull();
    expect((await db.sql`select from polls where id = ${id}`).count).toBe(0);
    expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
  });

  test('does not touch images outside the image store', async () => {
    const before = await listFiles();
    const [id = ''] = await seedPolls(app, maker.user.id, 1);
    await db.sql`
      update polls set is_sample = true, option1_image = 'https://elsewhere.example/a.webp',
        option2_image = '/uploads/../../outside.webp' where id = ${id}`;
    expect((await deletePoll(id)).status).toBe(200);
    expect(await listFiles()).toEqual(before);
  });

  test('succeeds even if the images of the poll cannot be removed', async () => {
    const poll = await openPoll(app, maker);
    const removing = vi.spyOn(deps.images, 'remove').mockRejectedValueOnce(new Error('EIO'));
    expect((await deletePoll(poll.id)).status).toBe(200);
    expect(removing).toHaveBeenCalledWith([poll.option1Image, poll.option2Image]);
    removing.mockRestore();
  });

  test('that was removed deletes its images first, and keeps the poll if that fails', async () => {
    const { poll } = await reportedPoll(app, 1);
    await decide(admin, poll.id, 'remove');
    const removing = vi.spyOn(deps.images, 'remove').mockRejectedValueOnce(new Error('EIO'));
    expect((await deletePoll(poll.id)).status).toBe(500);
    removing.mockRestore();
    expect((await db.sql`select from polls where id = ${poll.id}`).count).toBe(1);
    expect((await deletePoll(poll.id)).status).toBe(200);
    expect((await app.visitor().get(poll.option1Image)).status).toBe(404);
  });

  test('counts each concurrent vote or responds to it with 404', async () => {
    const voters: TestUser[] = [];
    for (let count = 0; count < 8; count += 1) voters.push(await app.signUp());
    for (let round = 0; round < 3; round += 1) {
      const poll = await openPoll(app, maker);
      const vote = (voter: TestUser) => postVote(voter, poll.id, 1, randomUUID());
      const earlierVotes = voters.slice(0, 4).map(vote);
      const deletion = deletePoll(poll.id);
      const laterVotes = voters.slice(4).map(vote);
      const [deletionResponse, ...voteResponses] = await Promise.all([
        deletion,
        ...earlierVotes,
        ...laterVotes,
      ]);
      expect(deletionResponse.status).toBe(200);
      for (const { status } of voteResponses) expect([200, 404]).toContain(status);
      expect(await violatedInvariants(db, deletedPollIds)).toEqual([]);
    }
  });
});
