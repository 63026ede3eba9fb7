import { browserOf, respondWithLogin } from '#api/accounts/login-result.ts';
import type { Deps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { callerOf } from '#api/http/client-address.ts';
import { countingSuccesses } from '#api/http/limits/attempts.ts';
import { reportSecurityEvent } from '#api/http/logging/security-events.ts';
import { sessionUserOf } from '#api/http/session/session.ts';
import * as calls from '#shared/accounts/passkeys/contract.ts';
import { addPasskey, startPasskey } from './add-passkey.ts';
import { requestPasskey } from './assertions.ts';
import { removePasskey, renamePasskey } from './change-passkeys.ts';
import { confirmIdentity } from './confirm-identity.ts';
import { finishSecondStep, logInWithPasskey, requireTicket, startSecondStep } from './passkey-login.ts';
import { readPasskeys, requireAnyPasskey } from './queries.ts';
import { renewRecoveryCodes, switchSecondStepOff, switchSecondStepOn } from './second-step.ts';

/** The calls for passkeys, logins with them, the second step and recovery codes. */
export function passkeyRoutes(deps: Deps): CallRouter {
  const { db, env, limits } = deps;
  const countingChange = <Result>(user: { id: number }, work: () => Promise<Result>) =>
    countingSuccesses(limits.credentialChangesOfUser, user.id, work);
  return new CallRouter()
    .answer(calls.listPasskeys, ({ user }) => readPasskeys(env, db, user.id))
    .answer(calls.startPasskey, async ({ c, user }) => {
      await limits.challengesOfUser.take(user.id);
      return startPasskey(deps, sessionUserOf(c, user), user.username);
    })
    .answer(calls.addPasskey, ({ c, user, json }) =>
      countingChange(user, () => addPasskey(deps, sessionUserOf(c, user), { ...json, caller: callerOf(c) })),
    )
    .answer(calls.renamePasskey, ({ c, user, params, json }) =>
      renamePasskey(deps, sessionUserOf(c, user), params.id, json.name),
    )
    .answer(calls.removePasskey, ({ c, user, params }) =>
      countingChange(user, () => removePasskey(deps, sessionUserOf(c, user), params.id)),
    )
    .answer(calls.startConfirmation, async ({ c, user }) => {
      await limits.challengesOfUser.take(user.id);
      await requireAnyPasskey(db, user.id);
      return requestPasskey(deps, { purpose: 'confirm', ...sessionUserOf(c, user) });
    })
    .answer(calls.confirmIdentity, async ({ c, user, json }) => {
      await confirmIdentity(deps, sessionUserOf(c, user), json, callerOf(c));
      return c.body(null);
    })
    .answer(calls.switchSecondStepOn, ({ c, user }) =>
      countingChange(user, () => switchSecondStepOn(deps, sessionUserOf(c, user), callerOf(c))),
    )
    .answer(calls.switchSecondStepOff, ({ c, user }) =>
      countingChange(user, () => switchSecondStepOff(deps, sessionUserOf(c, user))),
    )
    .answer(calls.renewRecoveryCodes, ({ c, user }) =>
      countingChange(user, () => renewRecoveryCodes(deps, sessionUserOf(c, user), callerOf(c))),
    )
    .answerWithin(limits.challengesOfClient, calls.startPasskeyLogin, () =>
      requestPasskey(deps, { purpose: 'login' }),
    )
    .answerWithin(limits.loginsOfClient, calls.logInWithPasskey, async ({ c, json }) =>
      respondWithLogin(deps, c, await logInWithPasskey(deps, json.passkey, browserOf(c))),
    )
    .answerWithin(limits.challengesOfClient, calls.startSecondStep, ({ json }) =>
      startSecondStep(deps, json.ticket),
    )
    .answerWithin(limits.loginsOfClient, calls.finishSecondStep, async ({ c, json }) => {
      const userId = await requireTicket(deps, json.ticket);
      c.set('subjectId', userId);
      const { isRecoveryCodeUsed, ...loggedIn } = await finishSecondStep(deps, userId, json, browserOf(c));
      const user = respondWithLogin(deps, c, loggedIn);
      if (isRecoveryCodeUsed) reportSecurityEvent(c, { event: 'recovery_code_used' });
      return user;
    });
}
