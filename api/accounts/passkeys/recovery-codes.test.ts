import { expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { addPasskey, authenticatorOf, confirm, enableSecondStep } from '#api/testing/passkeys.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import { findRecoveryCode } from './recovery-codes.ts';

const app = await createTestApp();
const { db, deps } = app;

async function userWithCode() {
  const account = await app.signUp();
  await addPasskey(account, authenticatorOf(app));
  const [code = ''] = await enableSecondStep(account);
  const { limits } = limitedClient(app, account);
  const { id } = account.user;
  return { id, limits, find: () => findRecoveryCode({ ...deps, limits }, id, code, { client: '127.0.0.1' }) };
}

test('of two requests that have found the same recovery code, only one can use it', async () => {
  const { find } = await userWithCode();
  const [firstUse, secondUse] = [await find(), await find()];
  await inTransaction(db, firstUse);
  await expect(inTransaction(db, secondUse)).rejects.toMatchObject({ code: 'invalid_recovery_code' });
});

test('an attempt that fails because of the database does not count', async () => {
  const { id, limits, find } = await userWithCode();
  await useUp(limits.recoveryCodesOfUser, id, { callsLeft: 1 });
  const select = vi.spyOn(db.orm, 'select').mockImplementationOnce(() => {
    throw new Error('The connection is lost');
  });
  await expect(find()).rejects.toThrow('The connection is lost');
  select.mockRestore();
  await find();
});

test('a request that gets no recovery codes causes no hashing', async () => {
  const account = await app.signUp();
  await confirm(account);
  const hashCodes = vi.spyOn(deps.passwords, 'hashCodes');
  const switchOn = () => account.put('/api/user/second-step');
  expect((await switchOn()).status).toBe(409);
  expect((await account.post('/api/user/recovery-codes')).status).toBe(409);
  expect(hashCodes).not.toHaveBeenCalled();
  await addPasskey(account, authenticatorOf(app));
  for (let attempt = 0; attempt < 2; attempt += 1) expect((await switchOn()).status).toBe(200);
  expect(hashCodes).toHaveBeenCalledOnce();
  hashCodes.mockRestore();
});
