import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { ensureOwner } from './ensure-owner.ts';

const { db, deps, signUp, visitor } = await createTestApp();

test('the first start creates the owner’s account, later ones do not change it', async () => {
  const passwords = await Promise.all([ensureOwner(deps), ensureOwner(deps), ensureOwner(deps)]);
  const [password, ...others] = passwords.filter((one) => one !== null);
  expect(others).toEqual([]);
  expect(password?.length).toBeGreaterThanOrEqual(20);
  expect(await ensureOwner(deps)).toBeNull();

  const answer = await visitor().post('/api/login', { username: 'owner', password });
  expect(await answer.json()).toMatchObject({ id: 15, isAdmin: true, isVerified: true, points: 1 });
});

test('a configured password is used and never shown', async () => {
  await db.sql`delete from users where id = 15`;
  const env = {
    ...deps.env,
    owner: { username: 'boss', email: 'boss@example.org', password: 'correct horse' },
  };
  expect(await ensureOwner({ ...deps, env })).toBeNull();
  const answer = await visitor().post('/api/login', { username: 'boss', password: 'correct horse' });
  expect(answer.status).toBe(200);
});

test('a name that belongs to another account prevents the start', async () => {
  await db.sql`delete from users where id = 15`;
  await signUp({ username: 'mara' });
  const env = { ...deps.env, owner: { username: 'Mara', email: 'boss@example.org', password: null } };
  await expect(ensureOwner({ ...deps, env })).rejects.toThrow('OWNER_USERNAME');
});
