import { setTimeout as sleep } from 'node:timers/promises';
import { cookieHeader } from '#api/testing/cookies.ts';
import { median, quantile } from '#bench/load/quantiles.ts';
import { creationOf, type TestUser, voteOf } from '#e2e/hard/changes.ts';
import type { Cluster } from './cluster.ts';
import { clusterTest } from './cluster-test.ts';

const USERS = 24;
const MAKERS = 4;
/** The number of responses that the points for a sign-up pay for. */
const VOTERS = 10;
const PAUSE_BETWEEN_VOTES_MS = 60;
const RECEIVED_WITHIN_MS = 1_000;
const SETTLED_AFTER_MS = 3_000;

/** Signs up through the load balancer. */
async function signUp(cluster: Cluster, index: number): Promise<TestUser> {
  const fields = { username: `user${index}`, email: `user${index}@example.org`, password: 'correct horse' };
  const response = await cluster.request('/api/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
  });
  if (response.status !== 201) throw new Error(`The sign-up failed: ${response.status} ${response.text}`);
  return { userId: JSON.parse(response.text).id, cookie: cookieHeader(response) };
}

clusterTest(
  {
    number: 1,
    name: 'polls and votes through the load balancer',
    load: `${USERS} users sign up and receive live updates, ${MAKERS} create polls with images, ${VOTERS} vote on each`,
  },
  async (cluster, { check, record }) => {
    const users: TestUser[] = [];
    for (let index = 0; index < USERS; index += 1) users.push(await signUp(cluster, index));
    const clients = await Promise.all(users.map((user) => cluster.listen(user)));
    const makers = users.slice(0, MAKERS);
    const pollIds = await Promise.all(
      makers.map(async (maker) => {
        const response = await cluster.send(await creationOf(maker));
        check(response?.status === 201, `a creation failed: ${response?.status} ${response?.text}`);
        return JSON.parse(response?.text ?? '{}').poll?.id as string;
      }),
    );
    const sent: { pollId: string; votesCount: number; atMs: number }[] = [];
    for (const [index, voter] of users.slice(MAKERS, MAKERS + VOTERS).entries()) {
      for (const pollId of pollIds) {
        const atMs = performance.now();
        const response = await cluster.send(voteOf(voter, pollId, index % 2 === 0 ? 1 : 2));
        check(response?.status === 200, `a vote failed: ${response?.status} ${response?.text}`);
        sent.push({ pollId, votesCount: index + 1, atMs });
        await sleep(PAUSE_BETWEEN_VOTES_MS);
      }
    }
    await sleep(SETTLED_AFTER_MS);
    const delaysMs = clients.map((client) =>
      sent.map(
        ({ pollId, votesCount, atMs }) => (client.receivedAtMs(pollId, votesCount) ?? Number.NaN) - atMs,
      ),
    );
    const medians = delaysMs.map(median);
    check(!delaysMs.flat().some(Number.isNaN), 'a client has not received a vote');
    check(
      medians.every((ms) => ms <= RECEIVED_WITHIN_MS),
      `a client has received votes after ${Math.max(...medians)} ms (median)`,
    );
    const allDelaysMs = delaysMs.flat();
    record(
      `${sent.length} votes, each received by ${clients.length} clients after ${median(allDelaysMs).toFixed(0)} ms (median), ` +
        `${quantile(allDelaysMs, 0.95).toFixed(0)} ms (p95); the slowest client's median ${Math.max(...medians).toFixed(0)} ms`,
    );
  },
);
