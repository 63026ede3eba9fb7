import { availableParallelism } from 'node:os';
import { expect, test, vi } from 'vitest';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';

const app = await createTestApp({ env: { trustProxy: 1 } });
const { user, password } = await app.signUp();

type LoginOptions = { from: string; typedPassword?: string; signal?: AbortSignal };

function logIn({ from, typedPassword = password, signal }: LoginOptions): Promise<Response> {
  return app.visitor().request('/api/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from },
    body: JSON.stringify({ username: user.username, password: typedPassword }),
    ...(signal && { signal }),
  });
}

test('waiting logins from one network do not delay logins from other networks', async () => {
  let completedLogins = 0;
  const wrongLogins = Array.from({ length: 60 }, async () => {
    await logIn({ from: '203.0.113.1', typedPassword: 'wrong' });
    completedLogins += 1;
  });
  // When the first login has completed, all others are in the queue.
  await Promise.race(wrongLogins);
  expect((await logIn({ from: '203.0.113.2' })).status).toBe(200);
  expect(completedLogins).toBeLessThan(50);
  await Promise.all(wrongLogins);
});

test('the passwords of clients that have disconnected are not checked', async () => {
  const clients = new AbortController();
  const wrongLogins = Array.from({ length: 50 }, () =>
    logIn({ from: '203.0.113.1', typedPassword: 'wrong', signal: clients.signal }),
  );
  await Promise.race(wrongLogins);
  clients.abort();
  const statuses = (await Promise.all(wrongLogins)).map(({ status }) => status);
  // A wrong password gets 401; 400 is the response to a request that its client has closed.
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(25);
  expect((await logIn({ from: '203.0.113.1' })).status).toBe(200);
});

test('a login while the queue is full gets the error `busy` and does not count as a failure', async () => {
  const passwords = createPasswordPool({ cost: 12, queueMaxPerThread: 0 });
  const { client, limits } = limitedClient(app, await app.signUp(), { passwords });
  // Only one more failure is allowed: if the busy login counted as one, the login afterwards would be refused.
  await useUp(limits.loginFailuresOfNameAndClient, `username of ${user.id} 127.0.0.1`, { callsLeft: 1 });
  // Occupies all threads.
  const hashing = Promise.allSettled(
    Array.from({ length: availableParallelism() }, () => passwords.hash('x', { client: '203.0.113.1' })),
  );
  const response = await client.post('/api/login', { username: user.username, password });
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await response.json()).toMatchObject({ code: 'busy' });
  await hashing;
  const loginAfterwards = await client.post('/api/login', { username: user.username, password });
  expect(loginAfterwards.status).toBe(200);
  await passwords.close();
});

test('a right password that waits until after the window of the limit allows no more wrong ones in the next window', async () => {
  const { user, password } = await app.signUp();
  const { client } = limitedClient(app, await app.signUp());
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const verify = vi.spyOn(app.deps.passwords, 'verify');
  try {
    verify.mockImplementationOnce(async () => {
      vi.advanceTimersByTime(16 * 60_000);
      return true;
    });
    const statuses: number[] = [];
    for (const typed of [password, ...Array.from({ length: 11 }, () => 'wrong')]) {
      const response = await client.post('/api/login', { username: user.username, password: typed });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, ...Array.from({ length: 10 }, () => 401), 429]);
  } finally {
    verify.mockRestore();
    vi.useRealTimers();
  }
});
