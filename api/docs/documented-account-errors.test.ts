import { createErrorTests, type ErrorsOfCalls, nameOf } from '#api/testing/documented-errors.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import {
  addPasskey,
  assertionOfUnknownPasskey,
  atPasskeyLimit,
  authenticatorOf,
  confirm,
  enableSecondStep,
  loginOptions,
  signUpPasskeyUser,
  ticketOf,
} from '#api/testing/passkeys.ts';
import type { TestUser } from '#api/testing/test-app.ts';
import * as accounts from '#shared/accounts/contract.ts';
import * as passkeys from '#shared/accounts/passkeys/contract.ts';
import type { Call } from '#shared/contract.ts';
import { GROUPS } from './build-document.ts';

const {
  app,
  user,
  administrator,
  suspendedUser,
  send,
  sendWithPasskeyRequired,
  suspend,
  whileBusy,
  testErrors,
} = await createErrorTests();
const { username } = user.user;

const register = (fields: object) =>
  send(app.visitor(), accounts.register, {
    json: { username: 'mara', email: 'mara@example.org', password: 'secret horse', ...fields },
  });
const logIn = (username: string, password: string) =>
  send(app.visitor(), accounts.logIn, { json: { username, password } });
const changePassword = (call: Call, fields: object) =>
  send(user, call, { json: { currentPassword: user.password, newPassword: 'secret horse', ...fields } });
async function resetPassword(call: Call, password: string) {
  const client = await app.signUp();
  await send(app.visitor(), accounts.forgotPassword, { json: { email: client.user.email } });
  const token = tokenIn(await mailTo(app, client.user.email));
  return send(client, call, { json: { token, password } });
}
const authenticator = authenticatorOf(app);
const unknownPasskey = () => assertionOfUnknownPasskey(app, authenticator);

/**
 * Opens a link that undoes a change, after another account has taken the email. The email is reserved for the undo, so that only
 * an operator can cause this.
 */
const undoWithTakenEmail = (change: (client: TestUser) => Promise<unknown>) => async (call: Call) => {
  const client = await app.signUp();
  const { id, email } = client.user;
  await app.db.sql`update users set is_verified = true where id = ${id}`;
  await change(client);
  const token = tokenIn(await mailTo(app, email));
  await app.db.sql`update users set email = ${`moved${id}@example.org`} where id = ${id}`;
  await app.db.sql`update users set email = ${email} where id = ${suspendedUser.user.id}`;
  return send(client, call, { json: { token } });
};

const sendUnconfirmed = async (call: Call, json = {}) => {
  const { client, id } = await signUpPasskeyUser(app, authenticator);
  return send(client, call, { id, json });
};

/** Sends the second step of the login of a user who has switched it on. */
async function sendSecondStep(call: Call, json: object, beforeSend?: (client: TestUser) => Promise<unknown>) {
  const { client } = await signUpPasskeyUser(app, authenticator);
  const [recoveryCode = ''] = await enableSecondStep(client);
  const ticket = await ticketOf(app.visitor(), client);
  await beforeSend?.(client);
  return send(app.visitor(), call, { json: { ticket, recoveryCode, ...json } });
}
/** Provokes the errors that a call lists itself. */
const OWN_ERRORS: ErrorsOfCalls = {
  [nameOf(accounts.updateUser)]: {
    taken: (call) => send(user, call, { json: { username: suspendedUser.user.username } }),
    wrong_password: (call) => send(user, call, { json: { email: 'new@example.org', currentPassword: 'x' } }),
  },
  [nameOf(accounts.register)]: {
    taken: () => register({ username }),
    weak_password: () => register({ password: 'password1' }),
  },
  [nameOf(accounts.changePassword)]: {
    wrong_password: (call) => changePassword(call, { currentPassword: 'x' }),
    weak_password: (call) => changePassword(call, { newPassword: 'password1' }),
  },
  [nameOf(accounts.logIn)]: {
    invalid_credentials: () => logIn(username, 'wrong'),
    suspended: () => logIn(suspendedUser.user.username, suspendedUser.password),
    async passkey_required() {
      const { client } = await signUpPasskeyUser(app, authenticator);
      await enableSecondStep(client);
      return logIn(client.user.username, client.password);
    },
  },
  [nameOf(accounts.resetPassword)]: {
    invalid_token: (call) => send(user, call, { json: { token: 'x', password: 'secret horse' } }),
    weak_password: (call) => resetPassword(call, 'password1'),
  },
  [nameOf(accounts.verifyEmail)]: {
    invalid_token: (call) => send(user, call, { query: '?token=x' }),
    async taken(call) {
      const client = await app.signUp();
      const change = { email: 'wanted@example.org', currentPassword: client.password };
      await send(client, accounts.updateUser, { json: change });
      const token = tokenIn(await mailTo(app, 'wanted@example.org'));
      await app.signUp({ email: 'wanted@example.org' });
      return send(client, call, { query: `?token=${token}` });
    },
  },
  [nameOf(accounts.undoEmailChange)]: {
    invalid_token: (call) => send(user, call, { json: { token: 'x' } }),
    taken: undoWithTakenEmail((client) => {
      const change = { email: 'change@example.org', currentPassword: client.password };
      return send(client, accounts.updateUser, { json: change });
    }),
  },
  [nameOf(accounts.unsubscribe)]: { invalid_token: (call) => send(user, call, { query: '?token=x' }) },
  [nameOf(accounts.undoPasskeys)]: {
    invalid_token: (call) => send(user, call, { json: { token: 'x' } }),
    taken: undoWithTakenEmail((client) => addPasskey(client, authenticator)),
  },
  [nameOf(accounts.requestDeletion)]: {
    wrong_password: (call) => send(user, call, { json: { password: 'wrong', polls: 'keep' } }),
    invalid_passkey: async (call) =>
      send(user, call, { json: { passkey: await unknownPasskey(), polls: 'keep' } }),
    protected_account: (call) =>
      send(administrator, call, { json: { password: administrator.password, polls: 'keep' } }),
  },
  [nameOf(accounts.downloadExport)]: { not_found: (call) => send(user, call) },
  [nameOf(passkeys.startPasskey)]: {
    confirmation_needed: (call) => sendUnconfirmed(call),
    passkey_limit: async (call) => send(await atPasskeyLimit(app, authenticator), call),
  },
  [nameOf(passkeys.addPasskey)]: {
    async invalid_passkey(call) {
      await confirm(user);
      const options = await (await send(user, passkeys.startPasskey)).json();
      const { attestation } = authenticator.create(options, { rpId: 'elsewhere.example' });
      return send(user, call, { json: { passkey: attestation, name: 'x' } });
    },
    async passkey_limit(call) {
      const { client } = await signUpPasskeyUser(app, authenticator);
      await confirm(client);
      const options = await (await send(client, passkeys.startPasskey)).json();
      const otherUser = await atPasskeyLimit(app, authenticator);
      await app.db.sql`update passkeys set user_id = ${client.user.id} where user_id = ${otherUser.user.id}`;
      const { attestation } = authenticator.create(options);
      return send(client, call, { json: { passkey: attestation, name: 'x' } });
    },
  },
  [nameOf(passkeys.renamePasskey)]: { confirmation_needed: (call) => sendUnconfirmed(call, { name: 'x' }) },
  [nameOf(passkeys.removePasskey)]: { confirmation_needed: (call) => sendUnconfirmed(call) },
  [nameOf(passkeys.startConfirmation)]: { no_passkey: (call) => send(user, call) },
  [nameOf(passkeys.confirmIdentity)]: {
    wrong_password: (call) => send(user, call, { json: { currentPassword: 'wrong' } }),
    invalid_passkey: async (call) => send(user, call, { json: { passkey: await unknownPasskey() } }),
  },
  [nameOf(passkeys.switchSecondStepOn)]: {
    confirmation_needed: (call) => sendUnconfirmed(call),
    async no_passkey(call) {
      await confirm(user);
      return send(user, call);
    },
  },
  [nameOf(passkeys.switchSecondStepOff)]: {
    confirmation_needed: (call) => sendUnconfirmed(call),
    async passkey_needed(call) {
      await confirm(administrator);
      return sendWithPasskeyRequired(call);
    },
  },
  [nameOf(passkeys.renewRecoveryCodes)]: {
    confirmation_needed: (call) => sendUnconfirmed(call),
    async second_step_off(call) {
      await confirm(user);
      return send(user, call);
    },
  },
  [nameOf(passkeys.logInWithPasskey)]: {
    invalid_passkey: async (call) => send(app.visitor(), call, { json: { passkey: await unknownPasskey() } }),
    async suspended(call) {
      const { client, passkey } = await signUpPasskeyUser(app, authenticator);
      await suspend(client);
      const assertion = authenticator.use(await loginOptions(client), passkey);
      return send(app.visitor(), call, { json: { passkey: assertion } });
    },
  },
  [nameOf(passkeys.startSecondStep)]: {
    invalid_token: (call) => send(app.visitor(), call, { json: { ticket: 'x' } }),
  },
  [nameOf(passkeys.finishSecondStep)]: {
    invalid_token: (call) => sendSecondStep(call, { ticket: 'x' }),
    invalid_passkey: async (call) => sendSecondStep(call, { passkey: await unknownPasskey() }),
    invalid_recovery_code: (call) => sendSecondStep(call, { recoveryCode: 'x' }),
    suspended: (call) => sendSecondStep(call, {}, suspend),
  },
};

/** Provokes `busy` by a request of each call that hashes a password. */
const WHILE_BUSY: ErrorsOfCalls = {
  [nameOf(accounts.updateUser)]: {
    busy: whileBusy((call) =>
      send(user, call, { json: { email: 'busy@example.org', currentPassword: 'x' } }),
    ),
  },
  [nameOf(accounts.register)]: { busy: whileBusy(() => register({})) },
  [nameOf(accounts.changePassword)]: { busy: whileBusy((call) => changePassword(call, {})) },
  [nameOf(accounts.logIn)]: { busy: whileBusy(() => logIn(username, user.password)) },
  [nameOf(accounts.resetPassword)]: { busy: whileBusy((call) => resetPassword(call, 'secret horse')) },
  [nameOf(accounts.requestDeletion)]: {
    busy: whileBusy((call) => send(user, call, { json: { password: user.password, polls: 'keep' } })),
  },
  [nameOf(passkeys.confirmIdentity)]: {
    busy: whileBusy((call) => send(user, call, { json: { currentPassword: user.password } })),
  },
  [nameOf(passkeys.switchSecondStepOn)]: {
    busy: whileBusy(async (call) => {
      const { client } = await signUpPasskeyUser(app, authenticator);
      await confirm(client);
      return send(client, call);
    }),
  },
  [nameOf(passkeys.renewRecoveryCodes)]: {
    busy: whileBusy(async (call) => {
      const { client } = await signUpPasskeyUser(app, authenticator);
      await enableSecondStep(client);
      return send(client, call);
    }),
  },
  [nameOf(passkeys.finishSecondStep)]: { busy: whileBusy((call) => sendSecondStep(call, {})) },
};

testErrors(Object.values(GROUPS.Accounts ?? {}), OWN_ERRORS, WHILE_BUSY);
