import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { usernameAvailabilitySchema } from '#shared/accounts/schema.ts';

const app = await createTestApp();
const { signUp, visitor } = app;
await signUp({ username: 'mara' });

async function check(username: string, client: TestClient = visitor()) {
  const response = await client.get(`/api/check-username/${encodeURIComponent(username)}`);
  expect(response.status).toBe(200);
  return usernameAvailabilitySchema.parse(await response.json());
}

test('an unused username is available', async () => {
  expect(await check('tomas')).toEqual({ available: true, message: 'Username is available' });
});

test.each(['mara', 'MARA', ' Mara '])('the username %j is reported as taken', async (name) => {
  expect(await check(name)).toEqual({ available: false, message: 'Username is already taken' });
});

test.each([
  ['ab', 'Username must be at least 3 characters'],
  ['a b c', 'Use letters, digits, dots, dashes and underscores only'],
  ['a/b/c', 'Use letters, digits, dots, dashes and underscores only'],
  ['x'.repeat(31), 'Username must be at most 30 characters'],
])('the invalid username %j is not available: %s', async (name, message) => {
  expect(await check(name)).toEqual({ available: false, message });
});

test.each(['admin', 'Support', 'the.owner', '...'])(
  'the reserved username %s is not available',
  async (name) => {
    expect(await check(name)).toEqual({
      available: false,
      message: 'This username is reserved. Please choose another one.',
    });
  },
);

test('a reserved username is available to administrators, not to other users', async () => {
  expect(await check('support', await signUpAdmin(app))).toMatchObject({ available: true });
  expect(await check('support', await signUp())).toMatchObject({ available: false });
});
