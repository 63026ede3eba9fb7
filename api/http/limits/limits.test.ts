import { expect, test, vi } from 'vitest';
import { createTestApp, useUp } from '#api/testing/test-app.ts';
import { createLimits, type LimitName } from './limits.ts';

const { db, deps, signUp, visitor } = await createTestApp({ rateLimits: true, env: { trustProxy: 1 } });

let lastAddress = 0;
/** An unused address. */
function newAddress(): Record<string, string> {
  lastAddress += 1;
  return { 'X-Forwarded-For': `10.0.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}` };
}

function logIn(username: string, password: string, from: Record<string, string>): Promise<Response> {
  return visitor().post('/api/login', { username, password }, from);
}

/** Makes `count` calls one after another, and returns how many did not get 429. */
async function countAllowed(count: number, call: (number: number) => Promise<Response>): Promise<number> {
  let allowed = 0;
  for (let number = 0; number < count; number++) if ((await call(number)).status !== 429) allowed += 1;
  return allowed;
}

test('a response beyond a limit has Retry-After', async () => {
  const from = newAddress();
  await countAllowed(20, () => visitor().get('/api/check-username/mara', from));
  const response = await visitor().get('/api/check-username/mara', from);
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ code: 'rate_limited' });
  const waitS = Number(response.headers.get('Retry-After'));
  expect(waitS).toBeGreaterThan(0);
  expect(waitS).toBeLessThanOrEqual(60);
});

test('allows 20 logins in 5 minutes per address', async () => {
  const from = newAddress();
  expect(await countAllowed(23, (number) => logIn(`nobody${number}`, 'x', from))).toBe(20);
  expect((await logIn('nobody', 'x', newAddress())).status).toBe(401);
});

test('allows 10 wrong passwords in 15 minutes per username and address', async () => {
  const { user, password } = await signUp();
  const from = newAddress();
  expect(await countAllowed(12, () => logIn(user.username, 'wrong', from))).toBe(10);
  expect((await logIn(user.username.toUpperCase(), password, from)).status).toBe(429);
  expect((await logIn(user.username, password, newAddress())).status).toBe(200);
});

test('the limit for a username does not reveal its email', async () => {
  const { user } = await signUp();
  const from = newAddress();
  await countAllowed(11, () => logIn(user.username, 'wrong', from));
  const statuses = [user.email, 'nobody@example.org'].map(
    async (name) => (await logIn(name, 'x', from)).status,
  );
  expect(await Promise.all(statuses)).toEqual([401, 401]);
});

test('a username of any length causes no server error', async () => {
  expect((await logIn('n'.repeat(50_000), 'x', newAddress())).status).toBe(401);
});

test('correct passwords do not count as wrong ones', async () => {
  const { user, password } = await signUp();
  const from = newAddress();
  expect(await countAllowed(15, () => logIn(user.username, password, from))).toBe(15);
});

test('25 wrong passwords in an hour slow down logins by username, but not by email', async () => {
  const { user, password } = await signUp();
  await countAllowed(25, () => logIn(user.username, 'wrong', newAddress()));
  const waits: number[] = [];
  for (const usernameOrEmail of [user.username, user.email]) {
    const startMs = performance.now();
    expect((await logIn(usernameOrEmail, password, newAddress())).status).toBe(200);
    waits.push(performance.now() - startMs);
  }
  const [byNameMs = 0, byEmailMs = 0] = waits;
  expect(byNameMs).toBeGreaterThanOrEqual(1_990);
  expect(byEmailMs).toBeLessThan(1_990);
});

test('allows 10 registrations in 30 minutes per address', async () => {
  const from = newAddress();
  expect(await countAllowed(12, () => visitor().post('/api/register', {}, from))).toBe(10);
});

test('allows 6 requests for a new password per hour and network address', async () => {
  const from = newAddress();
  const forgotPassword = (number: number) =>
    visitor().post('/api/forgot-password', { email: `nobody${number}@example.org` }, from);
  expect(await countAllowed(8, forgotPassword)).toBe(6);
});

test('beyond 5 requests for a new password per hour and email, the response is the same but no mail is sent', async () => {
  for (let count = 0; count < 7; count++) {
    const response = await visitor().post(
      '/api/forgot-password',
      { email: count % 2 ? 'Busy@example.org' : 'busy@example.org' },
      newAddress(),
    );
    expect(response.status).toBe(200);
    const mails = await db.sql`delete from mail_queue where email = 'busy@example.org'`;
    expect(mails.count).toBe(count < 5 ? 1 : 0);
  }
});

test('allows 10 uses of mailed links in 10 minutes per address, for all purposes together', async () => {
  const from = newAddress();
  const use = (number: number) =>
    number % 2
      ? visitor().get('/api/verify-email?token=x', from)
      : visitor().post('/api/reset-password', { token: 'x', password: 'long enough' }, from);
  expect(await countAllowed(12, use)).toBe(10);
});

test('allows 5 verification mails per hour and email, including the first', async () => {
  const client = await signUp();
  expect(await countAllowed(6, () => client.post('/api/resend-verification'))).toBe(4);
});

test('beyond 5 new emails per hour a change is saved at once and its mail is sent later', async () => {
  const client = await signUp();
  const waits: number[] = [];
  for (let number = 0; number < 6; number++) {
    const email = `moving${number}@example.org`;
    const response = await client.patch('/api/user', { email, currentPassword: client.password });
    expect(response.status).toBe(200);
    const [row] = await db.sql<[{ waitS: number }]>`
      select extract(epoch from next_attempt_at - created_at)::int as "waitS" from mail_queue
      where user_id = ${client.user.id} and purpose = 'verify'`;
    waits.push(row.waitS);
  }
  expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(waits[5]).toBeGreaterThan(3_500);
});

test('allows 10 changes to a taken name or email in 30 minutes per user, not counting successful changes', async () => {
  const { user } = await signUp();
  const client = await signUp();
  expect(await countAllowed(5, (number) => client.patch('/api/user', { username: `free${number}` }))).toBe(5);
  expect(
    await countAllowed(12, (number) =>
      client.patch(
        '/api/user',
        number % 2 ? { username: user.username } : { email: user.email, currentPassword: client.password },
      ),
    ),
  ).toBe(10);
});

test('allows 20 username checks per minute and address, where an IPv6 network counts as one address', async () => {
  const check = (number: number) =>
    visitor().get('/api/check-username/mara', { 'X-Forwarded-For': `2001:db8:1:1::${number + 1}` });
  expect(await countAllowed(22, check)).toBe(20);
});

test('the /56 and the /48 of an IPv6 client have limits of their own, 4 and 16 times as large', async () => {
  const check = (network: string) =>
    visitor().get('/api/check-username/mara', { 'X-Forwarded-For': `${network}::1` });
  // 100 networks of one /56, each within its own limit.
  expect(await countAllowed(100, (number) => check(`2001:db8:2:${(number % 100).toString(16)}`))).toBe(80);
  // Another /56 of the same /48 is not affected, until the /48 reaches its own limit.
  expect(
    await countAllowed(300, (number) => check(`2001:db8:2:${((number % 250) + 1).toString(16)}00`)),
  ).toBe(240);
  expect((await check('2001:db8:2:aaaa')).status).toBe(429);
  expect((await check('2001:db8:3:aaaa')).status).toBe(200);
});

test('calls beyond the limit of a /64 do not count against its /56 and /48', async () => {
  const { usernameChecksOfClient } = createLimits(db, { enabled: true });
  await useUp(usernameChecksOfClient, '2001:db8:4:1::/64');
  for (let call = 0; call < 100; call++)
    expect(await usernameChecksOfClient.tryTake('2001:db8:4:1::/64')).toBe(false);
  expect(await usernameChecksOfClient.tryTake('2001:db8:4:2::/64')).toBe(true);
});

test('a /48 that has reached its limit gets no counters for further networks in it', async () => {
  const { usernameChecksOfClient: limit } = createLimits(db, { enabled: true });
  const network = (number: number) => `2001:db8:7:${number.toString(16)}::/64`;
  for (let number = 0; number < 20 * 16; number += 1) await limit.take(network(number * 0x40));
  const startedTimers = vi.spyOn(globalThis, 'setTimeout');
  for (let number = 0; number < 20; number += 1)
    expect(await limit.tryTake(network(number * 0x40 + 1))).toBe(false);
  // Each counter would have a timer.
  expect(startedTimers).not.toHaveBeenCalled();
  startedTimers.mockRestore();
});

test('allows visitors 300 calls in 5 minutes per address', async () => {
  const from = newAddress();
  expect(await countAllowed(303, () => visitor().get('/api/user', from))).toBe(300);
});

test('allows a user 1500 calls in 5 minutes, from all addresses together', async () => {
  const client = await signUp();
  expect(await countAllowed(1_503, () => client.get('/api/user', newAddress()))).toBe(1_500);
});

test('calls that expect another user count towards the limit', async () => {
  const client = await signUp();
  const expectingAnotherUser = { ...newAddress(), 'X-Expected-User': '15' };
  expect(await countAllowed(1_503, () => client.get('/api/user', expectingAnotherUser))).toBe(1_500);
});

test('health checks are never limited', async () => {
  const from = newAddress();
  expect(await countAllowed(400, () => visitor().get('/api/health', from))).toBe(400);
});

test.each<[LimitName, number]>([
  ['votes', 600],
  ['creationsAMinute', 10],
  ['creationsAnHour', 60],
])('the limit %s allows %i calls', async (name, calls) => {
  const limit = deps.limits[name];
  for (let call = 0; call < calls; call++) await limit.take('someone');
  await expect(limit.take('someone')).rejects.toMatchObject({ code: 'rate_limited' });
  await limit.take('someone else');
});

/**
 * Limits that each process counts by itself. docs/operating.md explains why. All other limits, even those added later, must be
 * shared.
 */
const PER_PROCESS: readonly LimitName[] = [
  'usernameChecksOfClient',
  'votes',
  'resultsOfUser',
  'searches',
  'messagesOfSocket',
  'imagesOfClient',
  'sharedPollsOfClient',
  'cardsOfClient',
  'readinessChecksOfClient',
  'callsOfUser',
  'callsOfVisitor',
];
const LIMIT_NAMES = Object.keys(deps.limits) as LimitName[];

test.each(LIMIT_NAMES.filter((name) => !PER_PROCESS.includes(name)))(
  'two processes share the counters of %s',
  async (name) => {
    await useUp(deps.limits[name], '192.0.2.77', { callsLeft: 1 });
    const [firstLimits, secondLimits] = [
      createLimits(db, { enabled: true }),
      createLimits(db, { enabled: true }),
    ];
    const allowed = await Promise.all(
      [firstLimits, secondLimits, firstLimits, secondLimits].map((limits) =>
        limits[name].tryTake('192.0.2.77'),
      ),
    );
    expect(allowed.filter(Boolean)).toHaveLength(1);
  },
);

test('without rate limits nothing is limited', async () => {
  const disabledLimits = createLimits(db, { enabled: false });
  for (let call = 0; call < 50; call++) await disabledLimits.creationsAMinute.take('someone');
  expect(await disabledLimits.loginFailuresOfName.tryTake('someone')).toBe(true);
});

test('undoing a count allows one more call in the window in which it was counted, but not in the next window', async () => {
  vi.useFakeTimers();
  try {
    const { searches } = createLimits(db, { enabled: true });
    const firstCount = await searches.count('someone');
    const secondCount = await searches.count('someone');
    for (let call = 0; call < 58; call++) await searches.take('someone');
    expect(await searches.tryTake('someone')).toBe(false);
    await searches.undo('someone');
    await firstCount.undo();
    expect(await searches.tryTake('someone')).toBe(true);

    vi.advanceTimersByTime(60_001);
    for (let call = 0; call < 60; call++) await searches.take('someone');
    await secondCount.undo();
    expect(await searches.tryTake('someone')).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
