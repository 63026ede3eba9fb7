import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { voteOf } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertPolls, insertUsers } from './seed-data.ts';
import type { Stage } from './stage.ts';

const SOCKETS = 1_000;
const BYTE_EVERY_MS = 1_000;
const CLOSED_WITHIN_MS = 15_000;
const GIVE_UP_AFTER_MS = 60_000;
const VOTE_MAX_MS = 5_000;
const HEAD = `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${'x'.repeat(200)}\r\n\r\n`;

/** Sends a byte per second. Returns after how many milliseconds the server closed the connection. */
function sendSlowly(stage: Stage): Promise<number> {
  const { hostname, port } = new URL(stage.server.address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let sent = 0;
    let connectedMs = performance.now();
    let timer: NodeJS.Timeout;
    socket.once('connect', () => {
      connectedMs = performance.now();
      timer = setInterval(() => {
        if (performance.now() - connectedMs > GIVE_UP_AFTER_MS) socket.destroy();
        else socket.write(HEAD.charAt(sent++));
      }, BYTE_EVERY_MS);
    });
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      clearInterval(timer);
      resolve(performance.now() - connectedMs);
    });
  });
}

/** Sends votes one after the other until `isOver`. Returns the duration of the slowest vote, failures and the count. */
async function voteUntil(stage: Stage, votes: ReturnType<typeof voteOf>[], isOver: () => boolean) {
  let slowestMs = 0;
  const failed: string[] = [];
  let count = 0;
  for (const vote of votes) {
    if (isOver()) break;
    const startedMs = performance.now();
    const response = await stage.send(vote);
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    if (response?.status !== 200) failed.push(response?.code ?? 'lost');
    count += 1;
    await sleep(20);
  }
  return { slowestMs, failed, count };
}

hardTest(
  {
    number: 14,
    name: 'sockets that send a byte per second',
    load: `${SOCKETS} sockets and concurrent votes`,
  },
  async (stage, { check, record }) => {
    const { voters, polls } = await stage.inspect(async (db) => ({
      voters: await insertUsers(db, 5, 0),
      polls: await insertPolls(db, 2_000),
    }));
    await stage.start();
    let isOver = false;
    const voting = voters.map((voter) =>
      voteUntil(
        stage,
        polls.map((poll) => voteOf(voter, poll, 1)),
        () => isOver,
      ),
    );
    const openMs = await Promise.all(Array.from({ length: SOCKETS }, () => sendSlowly(stage)));
    isOver = true;
    const results = await Promise.all(voting);
    const longestMs = Math.max(...openMs);
    check(longestMs <= CLOSED_WITHIN_MS, `closed after ${(longestMs / 1_000).toFixed(1)} s`);
    const failed = results.flatMap((result) => result.failed);
    check(failed.length === 0, `${failed.length} votes failed: ${[...new Set(failed)].join()}`);
    const slowestMs = Math.max(...results.map((result) => result.slowestMs));
    check(slowestMs < VOTE_MAX_MS, `a vote took ${(slowestMs / 1_000).toFixed(1)} s`);
    const votes = results.reduce((sum, { count }) => sum + count, 0);
    record(
      `closed after ${(Math.min(...openMs) / 1_000).toFixed(1)} to ${(longestMs / 1_000).toFixed(1)} s; ${votes} votes meanwhile, the slowest in ${slowestMs.toFixed(0)} ms`,
    );
  },
);
