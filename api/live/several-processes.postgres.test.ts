import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { makeImage } from '#api/testing/poll-factory.ts';
import { connect, type TestSocket } from '#api/testing/servers/live-server.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  type ServerProcess,
  startServerProcess,
} from '#api/testing/servers/server-process.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';
import { SIGNUP_BONUS_POINTS, VOTE_POINTS } from '#shared/points/constants.ts';

const data = await createServerData();
const db = openPostgres(data.env.DATABASE_URL ?? '', { connections: 1 });
const servers: ServerProcess[] = [];
let userCount = 0;

type LoggedInUser = { id: number; cookies: Map<string, string> };

beforeAll(async () => {
  for (let number = 0; number < 2; number++) {
    const server = await startServerProcess({ ...data.env, RATE_LIMITS: 'off' });
    servers.push(server);
    await server.listening;
  }
}, PROCESS_TEST_TIMEOUT_MS);

afterAll(async () => {
  for (const { child, exited } of servers) {
    child.kill('SIGKILL');
    await exited;
  }
  await db.close();
  await data.remove();
}, PROCESS_TEST_TIMEOUT_MS);

function server(index: number): ServerProcess {
  const serverProcess = servers[index];
  if (serverProcess === undefined) throw new Error(`There is no server ${index}.`);
  return serverProcess;
}

function post(
  serverIndex: number,
  path: string,
  user: LoggedInUser | null,
  body?: FormData | object,
): Promise<Response> {
  const headers = new Headers();
  if (user !== null) headers.set('Cookie', [...user.cookies].map((pair) => pair.join('=')).join('; '));
  let encodedBody: FormData | string | null = null;
  if (body instanceof FormData) encodedBody = body;
  else if (body !== undefined) {
    headers.set('Content-Type', 'application/json');
    encodedBody = JSON.stringify(body);
  }
  return fetch(server(serverIndex).address + path, { method: 'POST', headers, body: encodedBody });
}

async function signUp(): Promise<LoggedInUser> {
  userCount += 1;
  const username = `user${userCount}`;
  const response = await post(0, '/api/register', null, {
    username,
    email: `${username}@example.org`,
    password: 'a good password',
  });
  const [cookie = ''] = response.headers.getSetCookie();
  const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
  return { id: (await response.json()).id, cookies: new Map([[name, value]]) };
}

async function makePoll(maker: LoggedInUser): Promise<string> {
  const form = new FormData();
  form.set('question', 'Red or blue?');
  for (const [name, colour] of [
    ['option1Image', '#c00'],
    ['option2Image', '#00c'],
  ] as const) {
    form.set(name, new Blob([await makeImage(colour)]), 'x.png');
  }
  const response = await post(0, '/api/questions', maker, form);
  return (await response.json()).poll.id;
}

function lastOf({ received }: TestSocket, type: string) {
  return received.filter((message) => message.type === type).at(-1);
}

test('a poll and its votes in one process reach the sockets of another process', async () => {
  const [maker, voter] = [await signUp(), await signUp()];
  const remoteSocket = await connect(server(1).address, maker);
  const remoteVoterSocket = await connect(server(1).address, voter);
  const localSocket = await connect(server(0).address, maker);
  const id = await makePoll(maker);
  await expect.poll(() => lastOf(remoteSocket, 'poll.created')).toMatchObject({ id });
  await post(0, `/api/questions/${id}/vote`, voter, { option: 1 });
  await expect.poll(() => lastOf(remoteSocket, 'poll.votes')).toMatchObject({ id, votesCount: 1 });
  await expect
    .poll(() => lastOf(remoteVoterSocket, 'user'))
    .toMatchObject({
      points: SIGNUP_BONUS_POINTS + VOTE_POINTS,
    });
  // A process also receives its own NOTIFY, and must not send the event again.
  await sleep(200);
  expect(localSocket.received.filter(({ type }) => type === 'poll.created')).toHaveLength(1);
  for (const { ws } of [remoteSocket, remoteVoterSocket, localSocket]) ws.close();
});

test('a logout in one process closes the sockets in another process', async () => {
  const user = await signUp();
  const remoteSocket = await connect(server(1).address, user);
  await post(0, '/api/logout', user);
  expect(await remoteSocket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
});

test('a process that loses its database connections listens again and closes its sockets, so that clients resync', async () => {
  const [maker, voter, loggedOut] = [await signUp(), await signUp(), await signUp()];
  const socketBefore = await connect(server(1).address, maker);
  const loggedOutSocket = await connect(server(1).address, loggedOut);
  // Without an event, like a logout in another process that is missed while the connection is lost.
  await db.sql`delete from sessions where user_id = ${loggedOut.id}`;
  await db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  expect(await loggedOutSocket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  await expect.poll(async () => (await fetch(`${server(0).address}/api/ready`)).status).toBe(200);
  expect(await socketBefore.closed).toBe(SOCKET_CLOSE_CODES.GOING_AWAY);
  const remoteSocket = await connect(server(1).address, maker);
  const id = await makePoll(maker);
  await post(0, `/api/questions/${id}/vote`, voter, { option: 2 });
  await expect.poll(() => lastOf(remoteSocket, 'poll.votes')).toMatchObject({ id, votesCount: 1 });
  remoteSocket.ws.close();
});

// The last test, since it ends a server that the others need.
test('SIGTERM closes the sockets with 1001, after which none can be opened, and ends the process', async () => {
  const user = await signUp();
  const socket = await connect(server(1).address, user);
  const unresponsiveSocket = await connect(server(1).address, user);
  unresponsiveSocket.ws.pause();
  const startMs = performance.now();
  server(1).child.kill('SIGTERM');
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.GOING_AWAY);
  await expect(connect(server(1).address, user)).rejects.toThrow();
  expect(await server(1).exited).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(5_000);
  expect(server(1).stderr()).toBe('');
  unresponsiveSocket.ws.terminate();
});
