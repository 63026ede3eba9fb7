import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { openSession } from '#api/http/session/sessions.ts';
import { damagedImages, storedFiles, violatedInvariants } from '#api/testing/invariants.ts';
import { givePoints, seedPolls } from '#api/testing/poll-factory.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import {
  createServerData,
  type ServerProcess,
  startServerProcess,
} from '#api/testing/servers/server-process.ts';
import { EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { formBody } from '#sync/client/outbox/blobs.ts';
import { createPoll } from '#sync/operations/create-poll.ts';
import { pollDraft } from './poll-draft.ts';

const VOTES = 24;
const CREATIONS = 6;
const VOTE_CHANGES = 6;
const CLOSINGS = 6;
const PRICE = 10;
/** The server process is killed with SIGKILL after this many responses, once for each number. */
const KILLS_AFTER_RESPONSES = [1, 9] as const;

const data = await createServerData();
afterAll(() => data.remove());

type Request = { method: 'POST' | 'PUT'; key: string; path: string; body: () => string | FormData };

function voteRequest(pollId: string, option: 1 | 2, method: 'POST' | 'PUT' = 'POST'): Request {
  const body = () => JSON.stringify({ option });
  return { method, key: randomUUID(), path: `/api/questions/${pollId}/vote`, body };
}

function closingRequest(pollId: string): Request {
  return { method: 'POST', key: randomUUID(), path: `/api/questions/${pollId}/close`, body: () => '' };
}

function creationRequest(pollId: string): Request {
  const { images, ...draft } = pollDraft(PRICE, `poll ${pollId}`);
  const key = randomUUID();
  const blobs = images.map((image, index) => ({
    ...image,
    opId: key,
    slot: index === 0 ? (1 as const) : (2 as const),
    sha256: '',
  }));
  const request = createPoll.request({ pollId, ...draft });
  if (request.kind !== 'form') throw new Error('A poll is sent as a form');
  return { method: 'POST', key, path: request.path, body: () => formBody(request.fields, blobs) };
}

/**
 * Creates a user with a session and enough points, and the user's requests. The `earlier` ones cast the votes and create the polls
 * that the others change and close.
 */
async function prepare() {
  return data.inspect(async (db) => {
    const [maker, voter] = await db.sql<{ id: number }[]>`
      insert into users (username, email, password_hash, referral_code)
      values ('maker', 'maker@example.org', 'none', 'M1'), ('voter', 'voter@example.org', 'none', 'V1') returning id`;
    if (maker === undefined || voter === undefined) throw new Error('no users');
    await givePoints({ db }, voter.id, PRICE * (CREATIONS + CLOSINGS));
    const polls = await seedPolls({ db }, maker.id, VOTES + VOTE_CHANGES);
    // Their maker has not paid for them; samples are free.
    await db.sql`update polls set is_sample = true`;
    const changedPolls = polls.slice(VOTES);
    const closedPolls = Array.from({ length: CLOSINGS }, () => randomUUID());
    const earlier = [
      ...changedPolls.map((id) => voteRequest(id, 1)),
      ...closedPolls.map((id) => creationRequest(id)),
    ];
    const changes = [
      ...polls.slice(0, VOTES).map((id) => voteRequest(id, 1)),
      ...changedPolls.map((id) => voteRequest(id, 2, 'PUT')),
      ...closedPolls.map((id) => closingRequest(id)),
      ...Array.from({ length: CREATIONS }, () => creationRequest(randomUUID())),
    ];
    // In the order of their random keys, so that the kinds are mixed.
    const requests = changes.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    return { userId: voter.id, cookie: `sid=${await openSession(db, voter.id)}`, earlier, requests };
  });
}

test('after kill -9 during votes, changed votes, creations and closings, retries apply each of them exactly once', {
  timeout: 120_000,
}, async () => {
  const { userId, cookie, earlier, requests } = await prepare();
  const port = String(await freePort());
  const start = async (): Promise<ServerProcess> => {
    const server = await startServerProcess({
      ...data.env,
      PORT: port,
      RATE_LIMITS: 'off',
      OWNER_PASSWORD: 'owner password',
    });
    await server.listening;
    return server;
  };
  const statusesByKey = new Map<string, Set<number>>();

  async function send(server: ServerProcess, { method, key, path, body }: Request): Promise<boolean> {
    const content = body();
    const type = typeof content === 'string' ? { 'Content-Type': 'application/json' } : {};
    const response = await fetch(server.address + path, {
      method,
      headers: {
        ...type,
        Cookie: cookie,
        Origin: server.address,
        [IDEMPOTENCY_KEY_HEADER]: key,
        [EXPECTED_USER_HEADER]: String(userId),
      },
      body: content,
    }).catch(() => null);
    if (response === null || response.status >= 500) return false;
    if (response.status === 409 && (await response.json()).code === 'in_flight') return false;
    statusesByKey.set(key, (statusesByKey.get(key) ?? new Set()).add(response.status));
    return true;
  }

  /** Sends all requests, and kills the server after some responses. Returns the number of requests without a response. */
  async function sendUntilKilled(server: ServerProcess, killedAfter: number): Promise<number> {
    let responses = 0;
    const sent = await Promise.all(
      requests.map(async (request) => {
        const hasResponse = await send(server, request);
        if (hasResponse) responses += 1;
        if (responses === killedAfter) server.child.kill('SIGKILL');
        return hasResponse;
      }),
    );
    return sent.filter((hasResponse) => !hasResponse).length;
  }

  async function sendUntilAcknowledged(server: ServerProcess, requests: Request[]): Promise<void> {
    let remaining = requests;
    while (remaining.length > 0) {
      const sent = await Promise.all(remaining.map((request) => send(server, request)));
      remaining = remaining.filter((_, index) => sent[index] === false);
    }
  }

  for (const [kill, killedAfter] of KILLS_AFTER_RESPONSES.entries()) {
    const server = await start();
    if (kill === 0) await sendUntilAcknowledged(server, earlier);
    expect(await sendUntilKilled(server, killedAfter)).toBeGreaterThan(0);
    expect(await server.exited).toBe(null);
  }
  const server = await start();
  await sendUntilAcknowledged(server, requests);
  server.child.kill('SIGTERM');
  await server.exited;
  for (const statuses of statusesByKey.values()) {
    expect(statuses.size).toBe(1);
    for (const status of statuses) expect([200, 201]).toContain(status);
  }
  await data.inspect(async (db) => {
    expect(await violatedInvariants(db)).toEqual([]);
    const [counts] = await db.sql`
      select (select count(*)::int from votes where user_id = ${userId}) as votes,
        (select sum(changes)::int from votes where user_id = ${userId}) as "voteChanges",
        (select count(*)::int from polls where user_id = ${userId}) as polls,
        (select count(*)::int from polls where user_id = ${userId} and closed_at is not null) as closed,
        (select count(*)::int from mutation_receipts where user_id = ${userId} and code is null) as receipts,
        (select points from users where id = ${userId}) as points`;
    expect(counts).toEqual({
      votes: VOTES + VOTE_CHANGES,
      voteChanges: VOTE_CHANGES,
      polls: CREATIONS + CLOSINGS,
      closed: CLOSINGS,
      receipts: earlier.length + requests.length,
      points: VOTES + VOTE_CHANGES + PRICE * CLOSINGS,
    });
    const uploads = `${data.env.DATA_DIR}/uploads`;
    expect(await damagedImages(db, uploads)).toEqual([]);
    // Two images in two sizes each; the killed servers may have left others.
    expect((await storedFiles(uploads)).length).toBeGreaterThanOrEqual(4 * (CREATIONS + CLOSINGS));
  });
});
