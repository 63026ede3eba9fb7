import { expect, test, vi } from 'vitest';
import { createTestApp, useUp } from '#api/testing/test-app.ts';
import { createLimits, type LimitName } from './limits.ts';

const { db, deps, signUp, visitor } = await createTestApp({ rateLimits: true, env: { trustProxy: 1 } });

let addressCount = 0;
/** Headers with which a request appears to come from an address that was not used before. */
function newAddress(): Record<string, string> {
  addressCount += 1;
  return { 'X-Forwarded-For': `10.0.${Math.floor(addressCount / 250)}.${(addressCount % 250) + 1}` };
}

function logIn(username: string, password: string, from: Record<string, string>): Promise<Response> {
  return visitor().post('/api/login', { username, password }, from);
}

/**
 * Makes `count` calls one after another. Returns how many did not get 429, and how long the first of the others has to wait: as
 * long as the window of the limit, since the calls take only seconds.
 */
async function makeCalls(count: number, call: (number: number) => Promise<Response>) {
  let allowed = 0;
  let waitMinutes: number | null = null;
  for (let number = 0; number < count; number++) {
    const { status, headers } = await call(number);
    if (status === 429) waitMinutes ??= Math.ceil(Number(headers.get('Retry-After')) / 60);
    else allowed += 1;
  }
  return { allowed, waitMinutes };
}

test('a response beyond a limit has Retry-After', async () => {
  const from = newAddress();
  await makeCalls(20, () => visitor().get('/api/check-username/mara', from));
  const response = await visitor().get('/api/check-username/mara', from);
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ code: 'rate_limited' });
  const waitS = Number(response.headers.get('Retry-After'));
  expect(waitS).toBeGreaterThan(0);
  expect(waitS).toBeLessThanOrEqual(60);
});

test('allows 20 logins in 5 minutes per address', async () => {
  const from = newAddress();
  expect(await makeCalls(23, (number) => logIn(`nobody${number}`, 'x', from))).toEqual({
    allowed: 20,
    waitMinutes: 5,
  });
  expect((await logIn('nobody', 'x', newAddress())).status).toBe(401);
});

test('allows 10 wrong passwords in 15 minutes per username and address', async () => {
  const { user, password } = await signUp();
  const from = newAddress();
  expect(await makeCalls(12, () => logIn(user.username, 'wrong', from))).toEqual({
    allowed: 10,
    waitMinutes: 15,
  });
  expect((await logIn(user.username.toUpperCase(), password, from)).status).toBe(429);
  expect((await logIn(user.username, password, newAddress())).status).toBe(200);
});

test('the limit for a username does not reveal its email', async () => {
  const { user } = await signUp();
  const from = newAddress();
  await makeCalls(11, () => logIn(user.username, 'wrong', from));
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
  expect(await makeCalls(15, () => logIn(user.username, password, from))).toEqual({
    allowed: 15,
    waitMinutes: null,
  });
});

test('25 wrong passwords in an hour slow down logins by username, but not by email', async () => {
  const { user, password } = await signUp();
  await makeCalls(25, () => logIn(user.username, 'wrong', newAddress()));
  const logInMs = async (usernameOrEmail: string) => {
    const startMs = performance.now();
    expect((await logIn(usernameOrEmail, password, newAddress())).status).toBe(200);
    return performance.now() - startMs;
  };
  // Two seconds, except that a timer may fire a few milliseconds early.
  const delayMinMs = 1_990;
  expect(await logInMs(user.username)).toBeGreaterThanOrEqual(delayMinMs);
  expect(await logInMs(user.email)).toBeLessThan(delayMinMs);
});

test('allows 10 registrations in 30 minutes per address', async () => {
  const from = newAddress();
  expect(await makeCalls(12, () => visitor().post('/api/register', {}, from))).toEqual({
    allowed: 10,
    waitMinutes: 30,
  });
});

test('allows 6 requests for a new password per hour and address', async () => {
  const from = newAddress();
  const forgotPassword = (number: number) =>
    visitor().post('/api/forgot-password', { email: `nobody${number}@example.org` }, from);
  expect(await makeCalls(8, forgotPassword)).toEqual({ allowed: 6, waitMinutes: 60 });
});

test('beyond 5 requests for a new password per hour and email, the response is the same but no mail is queued', async () => {
  for (let count = 0; count < 7; count++) {
    const response = await visitor().post(
      '/api/forgot-password',
      { email: count % 2 ? 'Busy@example.org' : 'busy@example.org' },
      newAddress(),
    );
    expect(response.status).toBe(200);
    // A mail is queued even if no account has the email. It is deleted, since further requests would share it.
    const deleted = await db.sql`delete from mail_queue where email = 'busy@example.org'`;
    expect(deleted.count).toBe(count < 5 ? 1 : 0);
  }
});

test('allows 10 uses of mailed links in 10 minutes per address, for all purposes together', async () => {
  const from = newAddress();
  const use = (number: number) =>
    number % 2
      ? visitor().get('/api/verify-email?token=x', from)
      : visitor().post('/api/reset-password', { token: 'x', password: 'long enough' }, from);
  expect(await makeCalls(12, use)).toEqual({ allowed: 10, waitMinutes: 10 });
});

test('allows 5 verification mails per hour and email, including the first', async () => {
  const client = await signUp();
  expect(await makeCalls(6, () => client.post('/api/resend-verification'))).toEqual({
    allowed: 4,
    waitMinutes: 60,
  });
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
  // Only one mail counts for the last of these emails: it is the limit of the user that is reached.
  expect((await client.post('/api/resend-verification')).status).toBe(429);
});

test('allows 10 changes to a taken name or email in 30 minutes per user, not counting successful changes', async () => {
  const { user } = await signUp();
  const client = await signUp();
  expect(await makeCalls(5, (number) => client.patch('/api/user', { username: `free${number}` }))).toEqual({
    allowed: 5,
    waitMinutes: null,
  });
  expect(
    await makeCalls(12, (number) =>
      client.patch(
        '/api/user',
        number % 2 ? { username: user.username } : { email: user.email, currentPassword: client.password },
      ),
    ),
  ).toEqual({ allowed: 10, waitMinutes: 30 });
});

test('allows 20 username checks per minute and address, where an IPv6 network counts as one address', async () => {
  const check = (number: number) =>
    visitor().get('/api/check-username/mara', { 'X-Forwarded-For': `2001:db8:1:1::${number + 1}` });
  expect(await makeCalls(22, check)).toEqual({ allowed: 20, waitMinutes: 1 });
});

test('the /56 and the /48 of an IPv6 client have limits of their own, 4 and 16 times as large', async () => {
  const check = (network: string) =>
    visitor().get('/api/check-username/mara', { 'X-Forwarded-For': `${network}::1` });
  // 100 networks of one /56, each within its own limit.
  expect(await makeCalls(100, (number) => check(`2001:db8:2:${number.toString(16)}`))).toEqual({
    allowed: 80,
    waitMinutes: 1,
  });
  // Other /56 of the same /48 are not affected, until the /48 reaches its own limit of 320 calls, of which 80 were counted.
  expect(await makeCalls(250, (number) => check(`2001:db8:2:${(number + 1).toString(16)}00`))).toEqual({
    allowed: 240,
    waitMinutes: 1,
  });
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
  // One call of each network: only four of them are in the same /56, whose limit is far away.
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
  expect(await makeCalls(303, () => visitor().get('/api/user', from))).toEqual({
    allowed: 300,
    waitMinutes: 5,
  });
});

test('allows a user 1500 calls in 5 minutes, from all addresses together', async () => {
  const client = await signUp();
  expect(await makeCalls(1_503, () => client.get('/api/user', newAddress()))).toEqual({
    allowed: 1_500,
    waitMinutes: 5,
  });
});

test('calls that expect another user count towards the limit', async () => {
  const client = await signUp();
  const expectingAnotherUser = { ...newAddress(), 'X-Expected-User': '15' };
  expect(await makeCalls(1_503, () => client.get('/api/user', expectingAnotherUser))).toEqual({
    allowed: 1_500,
    waitMinutes: 5,
  });
});

test('health checks are never limited', async () => {
  const from = newAddress();
  expect(await makeCalls(400, () => visitor().get('/api/health', from))).toEqual({
    allowed: 400,
    waitMinutes: null,
  });
});

test.each<[LimitName, number, number]>([
  ['votes', 600, 5],
  ['creationsAMinute', 10, 1],
  ['creationsAnHour', 60, 60],
])('the limit %s allows %i calls in %i minutes', async (name, calls, minutes) => {
  const limit = deps.limits[name];
  for (let call = 0; call < calls; call++) await limit.take('someone');
  const refusal = await limit.take('someone').catch((error) => error);
  expect(refusal).toMatchObject({ code: 'rate_limited' });
  expect(Math.ceil(refusal.retryAfterSeconds / 60)).toBe(minutes);
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
  for (const limit of Object.values(createLimits(db, { enabled: false }))) {
    // More calls than any limit allows.
    for (let call = 0; call < 6_001; call++) await limit.take('192.0.2.1');
    expect(await limit.tryTake('192.0.2.1')).toBe(true);
  }
});

test('undoing a count allows one more call in the window in which it was counted, but not in the next window', async () => {
  vi.useFakeTimers();
  try {
    const { searches } = createLimits(db, { enabled: true });
    const firstCount = await searches.count('someone');
    const secondCount = await searches.count('someone');
    const thirdCount = await searches.count('someone');
    for (let call = 0; call < 57; call++) await searches.take('someone');
    expect(await searches.tryTake('someone')).toBe(false);
    // The refused call was counted, too.
    await thirdCount.undo();
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
