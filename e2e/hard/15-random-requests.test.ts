import fc from 'fast-check';
import type { OpenApiDocument } from '#api/docs/build-document.ts';
import { makeImage } from '#api/testing/poll-factory.ts';
import {
  createResponseCheck,
  type RandomRequest,
  type Role,
  randomRequests,
} from '#api/testing/random-requests.ts';
import type { TestUser } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertPolls, insertUsers } from './seed-data.ts';
import type { Stage } from './stage.ts';

const REQUESTS = 20_000;
const CONNECTIONS = 16;
const SEED = Number(process.env.HARD_SEED ?? Date.now() % 2 ** 31);
const ATTEMPTS_MAX = 5;
const LOGOUT = 'POST /api/logout';

/**
 * Sends a request, and retries it if the server closes the connection, as it does when it responds before the end of the body.
 * Returns null if each attempt to send a form ends like this: the client, still writing, never sees the response.
 */
async function requestWithRetries(stage: Stage, path: string, init: RequestInit, onRetry: () => void) {
  for (let attemptsLeft = ATTEMPTS_MAX; ; attemptsLeft -= 1) {
    try {
      return await stage.request(path, init);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      const { exitCode, signalCode } = stage.server.child;
      const isConnectionBroken = cause?.code === 'EPIPE' || cause?.code === 'ECONNRESET';
      const isRunning = exitCode === null && signalCode === null;
      if (isRunning && attemptsLeft > 1) onRetry();
      else if (isRunning && isConnectionBroken && init.body instanceof FormData) return null;
      else throw new Error(`${init.method} ${path} got no response: ${cause} ${stage.server.stderr()}`);
    }
  }
}

hardTest(
  {
    number: 15,
    name: 'random requests',
    load: `${REQUESTS} requests to all calls, ${CONNECTIONS} concurrent`,
  },
  async (stage, { check, record }) => {
    const { users, polls, targets } = await stage.inspect(async (db) => ({
      users: {
        user: await insertUsers(db, 1_000, 1_000),
        admin: await insertUsers(db, 300, 0, { isAdmin: true }),
      },
      polls: await insertPolls(db, 30),
      targets: await insertUsers(db, 30, 0),
    }));
    await stage.start();
    const document: OpenApiDocument = JSON.parse((await stage.get('/api/openapi.json')).text);
    const findProblem = createResponseCheck(document);
    const ids = [...polls, ...targets.map(({ userId }) => String(userId))];
    const images = await Promise.all(['#c00', '#00c'].map(makeImage));
    const requests = fc.sample(randomRequests(document, { ids, images }), { numRuns: REQUESTS, seed: SEED });
    record(`seed ${SEED}`);

    let retries = 0;
    let unseenResponses = 0;
    const calls = new Map<string, number>();
    const statuses: Record<string, number> = {};
    /** A user with the role whose session is still open. */
    const userOf = (role: Role): TestUser | undefined => (role === 'visitor' ? undefined : users[role][0]);
    async function send({ call, role, method, path, headers, body }: RandomRequest): Promise<void> {
      const user = call === LOGOUT && role !== 'visitor' ? users[role].pop() : userOf(role);
      const cookie = user === undefined ? {} : { Cookie: user.cookie };
      const init = { method, headers: { ...headers, ...cookie }, body };
      const response = await requestWithRetries(stage, path, init, () => (retries += 1));
      if (response === null) {
        unseenResponses += 1;
        return;
      }
      calls.set(call, (calls.get(call) ?? 0) + 1);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const type = response.headers.get('Content-Type');
      const problem = findProblem(call, { status: response.status, type, text: response.text });
      const sent = typeof body === 'string' ? body.slice(0, 300) : JSON.stringify(headers);
      check(problem === null, `${method} ${path} ${sent}: ${problem}`);
      if (response.code === 'unauthenticated' && role !== 'visitor' && users[role][0] === user)
        users[role].shift();
    }
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let request = requests.pop(); request !== undefined; request = requests.pop())
          await send(request);
      }),
    );
    check(users.user.length > 0 && users.admin.length > 0, 'all sessions have ended');
    const documentedCalls = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
    check(calls.size === documentedCalls, `${calls.size} of ${documentedCalls} calls were sent`);
    record(
      `${documentedCalls} calls, each ${Math.min(...calls.values())} to ${Math.max(...calls.values())} times`,
    );
    record(`${retries} retried, ${unseenResponses} forms refused unread`);
    record(`responses: ${JSON.stringify(statuses).replaceAll('"', '')}`);
    await stage.stop();
    // All deleted polls, whoever deleted them.
    stage.deletedPolls.push(
      ...(await stage.inspect(async ({ sql }) => {
        const rows = await sql<{ id: string }[]>`
        select replace(target, 'poll ', '') as id from audit_entries where action = 'poll.delete'`;
        return rows.map(({ id }) => id);
      })),
    );
  },
);
