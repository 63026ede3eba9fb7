import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  addPasskey,
  authenticatorOf,
  enableSecondStep,
  passkeysOf,
  ticketOf,
} from '#api/testing/passkeys.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';

const app = await createTestApp();

test('changes of all credentials share one limit per user, which failed attempts do not use up', async () => {
  const account = await app.signUp();
  await addPasskey(account, authenticatorOf(app));
  await enableSecondStep(account);
  const { client, limits } = limitedClient(app, account);
  const setSecondStep = (state: 'on' | 'off') =>
    client.request('/api/user/second-step', { method: state === 'on' ? 'PUT' : 'DELETE' });
  await useUp(limits.credentialChangesOfUser, account.user.id, { callsLeft: 2 });
  const authenticator = authenticatorOf(app);
  const { attestation } = authenticator.create(await (await client.post('/api/passkeys/options')).json());
  expect((await setSecondStep('off')).status).toBe(200);
  expect((await client.post('/api/user/recovery-codes')).status).toBe(409);
  expect((await setSecondStep('on')).status).toBe(200);

  const passwordChange = { currentPassword: account.password, newPassword: 'tall lamp, cold river' };
  const responses = await Promise.all([
    setSecondStep('off'),
    client.post('/api/passkeys', { passkey: attestation }),
    client.post('/api/user/recovery-codes'),
    client.delete(`/api/passkeys/${randomUUID()}`),
    client.post('/api/user/password', passwordChange),
    client.post('/api/user/deletion', { password: account.password, polls: 'keep' }),
  ]);
  for (const response of responses) {
    expect([response.status, (await response.json()).code]).toEqual([429, 'rate_limited']);
  }
  expect(await passkeysOf(account)).toMatchObject({ secondStep: true });
});

test('a login with a recovery code still succeeds beyond the limit of credential changes, but sends no mail', async () => {
  const account = await app.signUp();
  await addPasskey(account, authenticatorOf(app));
  const codes = await enableSecondStep(account);
  const { client, limits } = limitedClient(app, account);
  await useUp(limits.credentialChangesOfUser, account.user.id, { callsLeft: 1 });
  for (const recoveryCode of codes.slice(0, 2)) {
    const ticket = await ticketOf(client, account);
    expect((await client.post('/api/login/second-step', { ticket, recoveryCode })).status).toBe(200);
  }
  const mails = await app.db.sql`
    select from mail_queue where user_id = ${account.user.id} and purpose = 'recovery-code-used'`;
  expect(mails.count).toBe(1);
});
