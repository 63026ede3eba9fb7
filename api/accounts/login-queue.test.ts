import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';

const app = await createTestApp({ env: { trustProxy: 1 } });
const { user, password } = await app.signUp();

type LogIn = { from: string; as?: string; signal?: AbortSignal };

function logIn({ from, as = password, signal }: LogIn): Promise<Response> {
  return app.visitor().request('/api/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from },
    body: JSON.stringify({ username: user.username, password: as }),
    ...(signal && { signal }),
  });
}

test('waiting logins from one network do not delay those from others', async () => {
  let answered = 0;
  const others = Array.from({ length: 60 }, async () => {
    await logIn({ from: '203.0.113.1', as: 'wrong' });
    answered += 1;
  });
  // When the first login has been answered, all others are in the queue.
  await Promise.race(others);
  expect((await logIn({ from: '203.0.113.2' })).status).toBe(200);
  expect(answered).toBeLessThan(50);
  await Promise.all(others);
});

test('the passwords of clients that disconnect are not checked', async () => {
  const clients = new AbortController();
  const others = Array.from({ length: 50 }, () =>
    logIn({ from: '203.0.113.1', as: 'wrong', signal: clients.signal }),
  );
  await Promise.race(others);
  clients.abort();
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(25);
  expect((await logIn({ from: '203.0.113.1' })).status).toBe(200);
});

test('when the queue is full a login is refused as busy and does not count as a failure', async () => {
  const passwords = createPasswordPool({ cost: 12, queueMaxPerThread: 0 });
  const { client, limits } = limitedClient(app, await app.signUp(), { passwords });
  await useUp(limits.loginFailuresOfNameAndClient, `username of ${user.id} 127.0.0.1`, 1);
  const hashing = Promise.allSettled(
    Array.from({ length: availableParallelism() }, () => passwords.hash('x', { client: '203.0.113.1' })),
  );
  const response = await client.post('/api/login', { username: user.username, password });
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await response.json()).toMatchObject({ code: 'busy' });
  await hashing;
  const again = await client.post('/api/login', { username: user.username, password });
  expect(again.status).toBe(200);
  await passwords.close();
});
