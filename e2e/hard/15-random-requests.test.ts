import fc from 'fast-check';
import type { OpenApiDocument } from '#api/docs/build-document.ts';
import { makeImage } from '#api/testing/poll-factory.ts';
import {
  createAnswerCheck,
  type RandomRequest,
  type Role,
  randomRequests,
} from '#api/testing/random-requests.ts';
import type { Person } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertPeople, insertPolls } from './people.ts';
import type { Stage } from './stage.ts';

const REQUESTS = 20_000;
const CONNECTIONS = 16;
const SEED = Number(process.env.HARD_SEED ?? Date.now() % 2 ** 31);
const TRIES = 5;
const LOG_OUT = 'POST /api/logout';

/**
 * Sends a request, again when its connection was closed: an answer that precedes the end of the body closes it. Null when a form was
 * refused unread each time and its sender, who was still writing, saw no answer.
 */
async function requestAgain(stage: Stage, path: string, init: RequestInit, onLost: () => void) {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await stage.request(path, init);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      const { exitCode, signalCode } = stage.server.child;
      const isCut = cause?.code === 'EPIPE' || cause?.code === 'ECONNRESET';
      if (exitCode === null && signalCode === null && left > 1) onLost();
      else if (exitCode === null && signalCode === null && isCut && init.body instanceof FormData)
        return null;
      else throw new Error(`${init.method} ${path} got no answer: ${cause} ${stage.server.stderr()}`);
    }
  }
}

hardTest(
  15,
  'random requests',
  `${REQUESTS} to all calls, ${CONNECTIONS} at once`,
  async (stage, { check, note }) => {
    const { people, polls, targets } = await stage.inspect(async (db) => ({
      people: {
        user: await insertPeople(db, 1_000, 1_000),
        admin: await insertPeople(db, 300, 0, { isAdmin: true }),
      },
      polls: await insertPolls(db, 30),
      targets: await insertPeople(db, 30, 0),
    }));
    await stage.start();
    const document: OpenApiDocument = JSON.parse((await stage.get('/api/openapi.json')).text);
    const wrongWith = createAnswerCheck(document);
    const ids = [...polls, ...targets.map(({ userId }) => String(userId))];
    const images = await Promise.all(['#c00', '#00c'].map(makeImage));
    const requests = fc.sample(randomRequests(document, { ids, images }), { numRuns: REQUESTS, seed: SEED });
    note(`seed ${SEED}`);

    let lost = 0;
    let unseen = 0;
    const calls = new Map<string, number>();
    const statuses: Record<string, number> = {};
    /** The first of these whose session is open; those whose session has ended go to the end. */
    const personOf = (role: Role): Person | undefined => (role === 'visitor' ? undefined : people[role][0]);
    async function send({ call, role, method, path, headers, body }: RandomRequest): Promise<void> {
      const person = call === LOG_OUT && role !== 'visitor' ? people[role].pop() : personOf(role);
      const cookie = person === undefined ? {} : { Cookie: person.cookie };
      const init = { method, headers: { ...headers, ...cookie }, body };
      const answer = await requestAgain(stage, path, init, () => (lost += 1));
      if (answer === null) {
        unseen += 1;
        return;
      }
      calls.set(call, (calls.get(call) ?? 0) + 1);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const type = answer.headers.get('Content-Type');
      const problem = wrongWith(call, { status: answer.status, type, text: answer.text });
      const sent = typeof body === 'string' ? body.slice(0, 300) : JSON.stringify(headers);
      check(problem === null, `${method} ${path} ${sent}: ${problem}`);
      if (answer.code === 'unauthenticated' && role !== 'visitor' && people[role][0] === person)
        people[role].shift();
    }
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let request = requests.pop(); request !== undefined; request = requests.pop())
          await send(request);
      }),
    );
    check(people.user.length > 0 && people.admin.length > 0, 'all sessions have ended');
    const described = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
    check(calls.size === described, `${calls.size} of ${described} calls were sent`);
    note(`${described} calls, each ${Math.min(...calls.values())} to ${Math.max(...calls.values())} times`);
    note(`${lost} sent again, ${unseen} forms refused unread`);
    note(`answers: ${JSON.stringify(statuses).replaceAll('"', '')}`);
    await stage.stop();
    // Whatever was deleted, by whomever.
    stage.deletedPolls.push(
      ...(await stage.inspect(async ({ sql }) => {
        const rows = await sql<{ id: string }[]>`
        select replace(target, 'poll ', '') as id from audit_entries where action = 'poll.delete'`;
        return rows.map(({ id }) => id);
      })),
    );
  },
);
