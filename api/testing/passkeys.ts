import { generateKeyPairSync } from 'node:crypto';
import { PASSKEYS_MAX } from '#shared/accounts/constants.ts';
import type { Assertion, PasskeyList, RequestOptions } from '#shared/accounts/passkeys/schema.ts';
import { Authenticator, type SoftPasskey } from './authenticator/authenticator.ts';
import type { TestApp, TestUser } from './test-app.ts';
import type { TestClient } from './test-client.ts';

/** An authenticator for the origin of `app`. */
export function authenticatorOf(
  { deps }: Pick<TestApp, 'deps'>,
  options?: { isSynced?: boolean },
): Authenticator {
  return new Authenticator(deps.env.publicUrl, options);
}

/** Confirms the user's identity by password. */
export async function confirm(user: TestUser, client: TestClient = user): Promise<void> {
  const response = await client.post('/api/user/confirmation', { currentPassword: user.password });
  if (response.status !== 204) throw new Error(`Not confirmed: ${await response.text()}`);
}

/** Makes all sessions of a user unconfirmed. */
export async function unconfirm({ db }: Pick<TestApp, 'db'>, { user }: TestUser): Promise<void> {
  await db.sql`update sessions set confirmed_at = null where user_id = ${user.id}`;
}

/** Confirms by password, and adds a passkey to the account of `user`. */
export async function addPasskey(
  user: TestUser,
  authenticator: Authenticator,
  name = 'My phone',
): Promise<SoftPasskey> {
  await confirm(user);
  const options = await (await user.post('/api/passkeys/options')).json();
  const { passkey, attestation } = authenticator.create(options);
  const response = await user.post('/api/passkeys', { passkey: attestation, name });
  if (response.status !== 201) throw new Error(`No passkey was added: ${await response.text()}`);
  return passkey;
}

/** Confirms by password, and switches the second step on; returns the recovery codes. */
export async function enableSecondStep(user: TestUser): Promise<string[]> {
  await confirm(user);
  const response = await user.put('/api/user/second-step');
  if (response.status !== 200)
    throw new Error(`The second step was not switched on: ${await response.text()}`);
  return (await response.json()).recoveryCodes;
}

export async function passkeysOf(user: TestClient): Promise<PasskeyList> {
  return (await user.get('/api/passkeys')).json();
}

export async function loginOptions(client: TestClient): Promise<RequestOptions> {
  return (await client.post('/api/login/passkey/options')).json();
}

/** An assertion of a passkey that the server does not know. */
export async function assertionOfUnknownPasskey(
  app: TestApp,
  authenticator: Authenticator,
): Promise<Assertion> {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const passkey = { id: 'x', key, userHandle: 'x', counter: 0, rpId: 'localhost' };
  return authenticator.use(await loginOptions(app.visitor()), passkey);
}

/** Logs in with the password, and returns the ticket of the second step. */
export async function ticketOf(client: TestClient, { user, password }: TestUser): Promise<string> {
  const response = await client.post('/api/login', { username: user.username, password });
  const { ticket } = await response.json();
  if (response.status !== 401 || ticket === undefined) throw new Error(`No ticket: ${response.status}`);
  return ticket;
}

/** Signs up a user with a passkey, whose session is not confirmed. `id`: the id of the passkey in the API. */
export async function signUpPasskeyUser(app: TestApp, authenticator: Authenticator) {
  const client = await app.signUp();
  const passkey = await addPasskey(client, authenticator);
  const [{ id } = { id: '' }] = await app.db.sql<{ id: string }[]>`
    select id from passkeys where user_id = ${client.user.id}`;
  await unconfirm(app, client);
  return { client, passkey, id };
}

/** Signs up a user with the maximum of passkeys, whose session is confirmed. */
export async function atPasskeyLimit(app: TestApp, authenticator: Authenticator): Promise<TestUser> {
  const { client } = await signUpPasskeyUser(app, authenticator);
  await app.db.sql`
    insert into passkeys (user_id, credential_id, public_key, counter, name, is_backed_up)
    select user_id, user_id || ' ' || no, public_key, 0, name, false from passkeys, generate_series(2, ${PASSKEYS_MAX}::int) no
    where user_id = ${client.user.id}`;
  await confirm(client);
  return client;
}
