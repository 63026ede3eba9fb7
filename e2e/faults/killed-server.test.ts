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
/** The server process is killed with SIGKILL after this many responses, once for each number. */
const KILLS_AFTER_RESPONSES = [1, 9] as const;

const data = await createServerData();
afterAll(() => data.remove());

type Request = { key: string; path: string; body: () => string | FormData };

/** Creates a user with a session and enough points, and the user's requests. */
async function prepare(): Promise<{ userId: number; cookie: string; requests: Request[] }> {
  return data.inspect(async (db) => {
    const [maker, voter] = await db.sql<{ id: number }[]>`
      insert into users (username, email, password_hash, referral_code)
      values ('maker', 'maker@example.org', 'none', 'M1'), ('voter', 'voter@example.org', 'none', 'V1') returning id`;
    if (maker === undefined || voter === undefined) throw new Error('no users');
    await givePoints({ db }, voter.id, 10 * CREATIONS);
    const polls = await seedPolls({ db }, maker.id, VOTES);
    // Their maker has not paid for them; samples are free.
    await db.sql`update polls set is_sample = true`;
    const votes = polls.map((id) => ({
      key: randomUUID(),
      path: `/api/questions/${id}/vote`,
      body: () => JSON.stringify({ option: 1 }),
    }));
    const creations = Array.from({ length: CREATIONS }, (_, creationIndex) => {
      const { images, ...draft } = pollDraft(10, `poll ${creationIndex}`);
      const pollId = randomUUID();
      const key = randomUUID();
      const blobs = images.map((image, index) => ({
        ...image,
        opId: key,
        slot: index === 0 ? (1 as const) : (2 as const),
        sha256: '',
      }));
      const request = createPoll.request({ pollId, ...draft });
      if (request.kind !== 'form') throw new Error('A poll is sent as a form');
      return { key, path: request.path, body: () => formBody(request.fields, blobs) };
    });
    // In the order of their random keys, so that creations and votes are mixed.
    const requests = [...creations, ...votes].toSorted((one, other) => (one.key < other.key ? -1 : 1));
    return { userId: voter.id, cookie: `sid=${await openSession(db, voter.id)}`, requests };
  });
}

test('after kill -9 during votes and creations, retries apply each of them exactly once', {
  timeout: 120_000,
}, async () => {
  const { userId, cookie, requests } = await prepare();
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

  async function send(server: ServerProcess, { key, path, body }: Request): Promise<boolean> {
    const content = body();
    const type = typeof content === 'string' ? { 'Content-Type': 'application/json' } : {};
    const response = await fetch(server.address + path, {
      method: 'POST',
      headers: {
        ...type,
        Cookie: cookie,
        Origin: server.address,
        [IDEMPOTENCY_KEY_HEADER]: key,
        [EXPECTED_USER_HEADER]: String(userId),
      },
      body: content,
    }).catch(() => null);
    // 409: an earlier attempt is still in flight.
    if (response === null || response.status >= 500 || response.status === 409) return false;
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

  for (const killedAfter of KILLS_AFTER_RESPONSES) {
    const server = await start();
    expect(await sendUntilKilled(server, killedAfter)).toBeGreaterThan(0);
    expect(await server.exited).toBe(null);
  }
  const server = await start();
  let remaining = requests;
  while (remaining.length > 0) {
    const sent = await Promise.all(remaining.map((request) => send(server, request)));
    remaining = remaining.filter((_, index) => sent[index] === false);
  }
  server.child.kill('SIGTERM');
  await server.exited;
  for (const statuses of statusesByKey.values()) {
    for (const status of statuses) expect([200, 201]).toContain(status);
  }
  await data.inspect(async (db) => {
    expect(await violatedInvariants(db)).toEqual([]);
    const [counts] = await db.sql<[{ votes: number; polls: number; receipts: number; points: number }]>`
      select (select count(*)::int from votes where user_id = ${userId}) as votes,
        (select count(*)::int from polls where user_id = ${userId}) as polls,
        (select count(*)::int from mutation_receipts where user_id = ${userId} and code is null) as receipts,
        (select points from users where id = ${userId}) as points`;
    expect(counts).toEqual({ votes: VOTES, polls: CREATIONS, receipts: VOTES + CREATIONS, points: VOTES });
    const uploads = `${data.env.DATA_DIR}/uploads`;
    expect(await damagedImages(db, uploads)).toEqual([]);
    // Two images in two sizes each; the killed servers may have left others.
    expect((await storedFiles(uploads)).length).toBeGreaterThanOrEqual(4 * CREATIONS);
  });
});
