import { describe, expect, test, vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import { atJobLimit, postBulkUpload, signUpAdmin, twoImages } from '#api/testing/admins.ts';
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
import { closedPoll, makePoll, openPoll, pollForm, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { atBlockLimit } from '#api/testing/reports.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import * as accounts from '#shared/accounts/contract.ts';
import * as passkeys from '#shared/accounts/passkeys/contract.ts';
import * as admin from '#shared/admin/contract.ts';
import { type Call, errorCodesOf } from '#shared/contract.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import * as polls from '#shared/polls/contract.ts';
import * as reports from '#shared/reports/contract.ts';
import * as service from '#shared/service/contract.ts';
import { GROUPS } from './build-document.ts';

const CALLS = Object.values(GROUPS).flatMap((calls) => Object.values(calls));
const nameOf = ({ method, path }: Call) => `${method} ${path}`;

const app = await createTestApp();
const user = await app.signUp();
const { username } = user.user;
const administrator = await signUpAdmin(app);
const suspendedUser = await app.signUp();
await app.db.sql`update users set is_suspended = true where id = ${suspendedUser.user.id}`;
const poll = await openPoll(app, await app.signUp());

const clientFor = ({ access }: Call) => (access === 'admin' ? administrator : user);

/** Sends `call` with a JSON body. `id` is put in place of each path parameter; by default it is that of an existing poll. */
function send(client: TestClient, call: Call, { json = {}, headers = {}, id = poll.id, query = '' } = {}) {
  const path = call.path.replaceAll(/\{\w+\}/g, id) + query;
  if (call.method === 'GET') return client.get(path, headers);
  const body = call.json && JSON.stringify(json);
  const type = call.json ? { 'Content-Type': 'application/json' } : {};
  return client.request(path, { method: call.method, headers: { ...type, ...headers }, body: body ?? null });
}

async function sendWithPasskeyRequired(call: Call) {
  app.deps.env.isAdminPasskeyRequired = true;
  const response = await send(administrator, call);
  app.deps.env.isAdminPasskeyRequired = false;
  return response;
}

type Provocation = (call: Call) => Response | Promise<Response>;

/** Provokes the errors that follow from the definition of a call. */
const DERIVED_ERRORS: Partial<Record<ErrorCode, Provocation>> = {
  unauthenticated: (call) => send(app.visitor(), call),
  not_admin: (call) => send(user, call),
  passkey_needed: sendWithPasskeyRequired,
  bad_origin: (call) => send(clientFor(call), call, { headers: { Origin: 'https://elsewhere.example' } }),
  actor_mismatch: (call) => send(clientFor(call), call, { headers: { 'X-Expected-User': '1' } }),
  invalid_key: (call) => send(user, call, { headers: { 'Idempotency-Key': 'x' } }),
  // The body is valid for each of these calls, as bodies are checked before paths.
  not_found: (call) =>
    send(clientFor(call), call, { id: 'x', json: { option: 1, reason: 'spam', action: 'keep', name: 'x' } }),
  async invalid_input(call) {
    if (!call.form) return send(clientFor(call), call, { json: [], query: '?limit=x' });
    const form = await pollForm({ duration: '0', option1Image: null, option2Image: null });
    return clientFor(call).request(call.path, { method: call.method, ...form });
  },
  unsupported_type: (call) => send(clientFor(call), call, { headers: { 'Content-Type': 'text/plain' } }),
};

const register = (fields: object) =>
  send(app.visitor(), accounts.register, {
    json: { username: 'mara', email: 'mara@example.org', password: 'secret horse', ...fields },
  });
const logIn = (username: string, password: string) =>
  send(app.visitor(), accounts.logIn, { json: { username, password } });
const changePassword = (call: Call, fields: object) =>
  send(user, call, { json: { currentPassword: user.password, newPassword: 'secret horse', ...fields } });
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
const suspend = ({ user: { id } }: TestUser) =>
  app.db.sql`update users set is_suspended = true where id = ${id}`;
const changeVote = (option: number, id = poll.id) => send(user, polls.changeVote, { id, json: { option } });
function failingCard(call: Call, error: Error) {
  vi.spyOn(app.deps.cards, 'open').mockRejectedValueOnce(error);
  return send(user, call, { id: app.deps.shareLinks.slugOf(poll.id) });
}
const toOwnAccount = (call: Call) => send(administrator, call, { id: String(administrator.user.id) });

/** Sends decisions about a poll with one report; returns the last response. */
async function decide(call: Call, maker: TestUser, ...decisions: readonly object[]) {
  const { id } = await openPoll(app, maker);
  let response = await send(user, reports.reportPoll, { id, json: { reason: 'spam' } });
  for (const json of decisions) response = await send(administrator, call, { id, json });
  return response;
}

/** Starts a repair of images; returns the id of its job. */
async function startRepair(): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  return (await (await send(administrator, admin.repairImages, { headers })).json()).jobId;
}

/** Provokes the errors that a call lists itself. */
const OWN_ERRORS: Readonly<Record<string, Partial<Record<ErrorCode, Provocation>>>> = {
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
    async weak_password(call) {
      const client = await app.signUp();
      await send(app.visitor(), accounts.forgotPassword, { json: { email: client.user.email } });
      const token = tokenIn(await mailTo(app, client.user.email));
      return send(client, call, { json: { token, password: 'password1' } });
    },
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
  [nameOf(polls.createPoll)]: {
    insufficient_points: () => postPoll(user, { responsesWanted: '500' }),
    id_taken: () => postPoll(user, { id: poll.id }),
  },
  [nameOf(polls.castVote)]: {
    async own_poll() {
      const maker = await app.signUp();
      return postVote(maker, (await makePoll(maker)).id, 1);
    },
    async already_voted() {
      await postVote(user, poll.id, 1);
      return postVote(user, poll.id, 2);
    },
    poll_closed: async () => postVote(await app.signUp(), await closedPoll(app, user), 1),
    vote_limit: async () => {
      const voter = await app.signUp();
      const { client, limits } = limitedClient(app, voter);
      await useUp(limits.votesOfUnverified, voter.user.id);
      return postVote(client, (await openPoll(app, await app.signUp())).id, 1);
    },
  },
  [nameOf(polls.changeVote)]: {
    not_voted: async () => changeVote(1, (await openPoll(app, await app.signUp())).id),
    poll_closed: async () => changeVote(2, await closedPoll(app, user)),
    async change_limit() {
      await postVote(user, poll.id, 1);
      for (let index = 0; index < VOTE_CHANGES_MAX; index += 1) await changeVote(index % 2 === 0 ? 2 : 1);
      return changeVote(VOTE_CHANGES_MAX % 2 === 0 ? 2 : 1);
    },
  },
  [nameOf(polls.closePoll)]: {
    not_yours: (call) => send(user, call),
    async poll_closed(call) {
      const { id } = await openPoll(app, user);
      await send(user, call, { id });
      return send(user, call, { id });
    },
  },
  [nameOf(polls.deleteOwnPoll)]: { not_yours: (call) => send(user, call) },
  [nameOf(polls.readVotesByHour)]: { not_yours: (call) => send(user, call) },
  [nameOf(polls.readResultsCsv)]: { not_yours: (call) => send(user, call) },
  [nameOf(polls.readCardImage)]: {
    busy: (call) => failingCard(call, new AppError('busy')),
    unavailable: (call) =>
      failingCard(call, Object.assign(new Error('storage unavailable'), { code: 'ECONNREFUSED' })),
  },
  [nameOf(reports.reportPoll)]: {
    async own_poll(call) {
      const ownPoll = await openPoll(app, user);
      return send(user, call, { id: ownPoll.id, json: { reason: 'spam' } });
    },
  },
  [nameOf(reports.blockUser)]: {
    own_account: (call) => send(user, call, { id: username }),
    block_limit: async (call) => send(await atBlockLimit(app), call, { id: username }),
  },
  [nameOf(admin.decideReport)]: {
    protected_account: async (call) => decide(call, await signUpAdmin(app), { action: 'suspend' }),
    too_late: async (call) => decide(call, await app.signUp(), { action: 'suspend' }, { action: 'undo' }),
    already_decided: async (call) =>
      decide(call, await app.signUp(), { action: 'remove' }, { action: 'keep' }),
    reports_changed: async (call) => decide(call, await app.signUp(), { action: 'keep', reports: 0 }),
  },
  [nameOf(polls.readImage)]: {
    not_found: (call) => send(user, call, { id: 'x.webp' }),
    async unavailable(call) {
      vi.spyOn(app.deps.images, 'open').mockRejectedValueOnce(new AppError('unavailable'));
      return send(user, call, { id: 'x.webp' });
    },
  },
  [nameOf(admin.deleteUser)]: { protected_account: toOwnAccount },
  [nameOf(admin.suspendUser)]: { protected_account: toOwnAccount },
  [nameOf(admin.unsuspendUser)]: { protected_account: toOwnAccount },
  [nameOf(admin.uploadPolls)]: {
    job_limit: () =>
      atJobLimit(app, administrator, async () => postBulkUpload(administrator, await twoImages())),
    id_taken: async () =>
      postBulkUpload(administrator, await twoImages(), { fields: { id: await startRepair() } }),
  },
  [nameOf(admin.generatePolls)]: {
    not_found: (call) => send(administrator, call, { json: { count: 1, userId: 99_999 } }),
    id_taken: async (call) => send(administrator, call, { json: { count: 1, id: await startRepair() } }),
    job_limit: (call) =>
      atJobLimit(app, administrator, () => send(administrator, call, { json: { count: 1 } })),
  },
  [nameOf(admin.repairImages)]: {
    job_limit: (call) => atJobLimit(app, administrator, () => send(administrator, call)),
  },
  [nameOf(service.readReadiness)]: {
    async unavailable(call) {
      app.deps.lifecycle.isStopping = true;
      const response = await send(user, call);
      app.deps.lifecycle.isStopping = false;
      return response;
    },
  },
};

describe.each(CALLS.map((call) => [nameOf(call), call] as const))('%s', (name, call) => {
  const ownErrors = OWN_ERRORS[name] ?? {};
  test('has a test for each of its own errors', () => {
    expect(Object.keys(ownErrors).toSorted()).toEqual([...(call.errors ?? [])].toSorted());
  });

  const provocations = [...errorCodesOf(call)].flatMap((code) => {
    const provoke = ownErrors[code] ?? DERIVED_ERRORS[code];
    return provoke === undefined ? [] : [[code, provoke] as const];
  });
  if (provocations.length === 0) return;
  test.each(provocations)('responds with %s as documented', async (code, provoke) => {
    const response = await provoke(call);
    expect([response.status, (await response.json()).code]).toEqual([ERROR_STATUS[code], code]);
  });
});

/**
 * Other tests provoke these errors: a body that is too large, a key that another request has used or that is in flight, an
 * exceeded limit, an image that cannot be decoded, and any unexpected error.
 */
const TESTED_ELSEWHERE = ['too_large', 'key_reused', 'in_flight', 'rate_limited', 'undecodable', 'internal'];

test('every documented error that is not tested elsewhere is tested here', () => {
  const provoked = [DERIVED_ERRORS, ...Object.values(OWN_ERRORS)].flatMap((codes) => Object.keys(codes));
  const documented = new Set(CALLS.flatMap((call) => [...errorCodesOf(call)]));
  expect([...documented].filter((code) => !provoked.includes(code)).toSorted()).toEqual(
    TESTED_ELSEWHERE.toSorted(),
  );
});
