import { setTimeout as sleep } from 'node:timers/promises';
import { creationOf, type Person, voteOf } from '#e2e/hard/changes.ts';
import type { Cluster } from './cluster.ts';
import { clusterTest } from './cluster-test.ts';
import { median, percentile } from './figures.ts';

const PEOPLE = 24;
const MAKERS = 4;
/** As many as a poll may have that the sign-up bonus pays. */
const VOTERS = 10;
const PAUSE_MS = 60;
const HEARD_WITHIN_MS = 1_000;
const SETTLED_AFTER_MS = 3_000;

/** Signs up through the load balancer. */
async function signUp(cluster: Cluster, nth: number): Promise<Person> {
  const fields = { username: `person${nth}`, email: `person${nth}@example.org`, password: 'correct horse' };
  const answer = await cluster.request('/api/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
  });
  if (answer.status !== 201) throw new Error(`Nobody signed up: ${answer.status} ${answer.text}`);
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  return { userId: JSON.parse(answer.text).id, cookie: cookies.join('; ') };
}

clusterTest(
  1,
  'the main job through the load balancer',
  `${PEOPLE} people sign up and listen, ${MAKERS} create polls with images, ${VOTERS} vote on each`,
  async (cluster, { check, note }) => {
    const people: Person[] = [];
    for (let nth = 0; nth < PEOPLE; nth += 1) people.push(await signUp(cluster, nth));
    const clients = await Promise.all(people.map((person) => cluster.listen(person)));
    const makers = people.slice(0, MAKERS);
    const polls = await Promise.all(
      makers.map(async (maker) => {
        const answer = await cluster.send(await creationOf(maker));
        check(answer?.status === 201, `no poll: ${answer?.status} ${answer?.text}`);
        return JSON.parse(answer?.text ?? '{}').poll?.id as string;
      }),
    );
    const sent: { poll: string; votesCount: number; atMs: number }[] = [];
    for (const [nth, voter] of people.slice(MAKERS, MAKERS + VOTERS).entries()) {
      for (const poll of polls) {
        const atMs = performance.now();
        const answer = await cluster.send(voteOf(voter, poll, nth % 2 === 0 ? 1 : 2));
        check(answer?.status === 200, `no vote: ${answer?.status} ${answer?.text}`);
        sent.push({ poll, votesCount: nth + 1, atMs });
        await sleep(PAUSE_MS);
      }
    }
    await sleep(SETTLED_AFTER_MS);
    const heardMs = clients.map((client) =>
      sent.map(({ poll, votesCount, atMs }) => (client.heardAtMs(poll, votesCount) ?? Number.NaN) - atMs),
    );
    const medians = heardMs.map(median);
    check(!heardMs.flat().some(Number.isNaN), 'a client has not heard of a vote');
    check(
      medians.every((ms) => ms <= HEARD_WITHIN_MS),
      `a client has heard of votes after ${Math.max(...medians)} ms (median)`,
    );
    const all = heardMs.flat();
    note(
      `${sent.length} votes, each heard of by ${clients.length} clients after ${median(all).toFixed(0)} ms (median), ` +
        `${percentile(all, 0.95).toFixed(0)} ms (95 %); the slowest client's median ${Math.max(...medians).toFixed(0)} ms`,
    );
  },
);
