import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';

const { signUp, visitor } = await createTestApp();

test('a newcomer signs up, is signed in and has ten points', async () => {
  const mara = await signUp({ username: 'mara' });
  const answer = await mara.get('/api/user');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ username: 'mara', points: 10, isAdmin: false });
  expect((await visitor().get('/api/user')).status).toBe(401);
});
