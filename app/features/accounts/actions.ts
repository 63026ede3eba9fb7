import { request } from '#app/lib/api/api-client.ts';
import { ApiError, codeOf, mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { loadEngine, storeUser } from '#app/lib/engine/engine.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { startWarmUp } from '#app/lib/warm-up.ts';
import * as calls from '#shared/accounts/contract.ts';
import type { Assertion, FinishSecondStepInput } from '#shared/accounts/passkeys/schema.ts';
import type {
  ChangePasswordInput,
  DataExport,
  DeletionInput,
  ForgotPasswordInput,
  LoginInput,
  MessageResponse,
  RegisterInput,
  ResetPasswordInput,
  Session,
  UpdateUserInput,
  User,
} from '#shared/accounts/schema.ts';

/**
 * Logs in and opens the user's database. Returns the ticket for the second step; null if the account needs none. Shows an
 * error as a toast and throws it.
 */
export async function logIn(input: LoginInput): Promise<string | null> {
  try {
    await completeLogin(() => request(calls.logIn, { json: input }));
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.ticket !== null) return error.ticket;
    throw error;
  }
}

/** Logs in with `authenticate`, starts the session and welcomes the user. Shows an error as a toast and throws it. */
async function completeLogin(authenticate: () => Promise<User>): Promise<void> {
  const { username } = await startSession('Login failed', authenticate);
  showToast('success', 'Login successful', `Welcome back, ${username}!`, { topic: 'auth' });
}

const loadPasskeys = () => import('./lib/passkeys.ts');
type Passkeys = Awaited<ReturnType<typeof loadPasskeys>>;

/** Lets the user choose a passkey; null when they cancel. Shows an error as a toast and throws it. */
async function choosePasskey(
  choose: (passkeys: Passkeys) => Promise<Assertion | null>,
): Promise<Assertion | null> {
  let messageOf: (error: unknown) => string = errorMessage;
  try {
    const passkeys = await loadPasskeys();
    messageOf = passkeys.failureMessage;
    return await choose(passkeys);
  } catch (error) {
    showToast('error', 'Login failed', messageOf(error), { topic: 'auth' });
    throw error;
  }
}

/** Logs in with a passkey; does nothing if the user chooses none. Shows an error as a toast and throws it. */
export async function logInWithPasskey(): Promise<void> {
  const assertion = await choosePasskey((passkeys) => passkeys.getLoginAssertion());
  if (assertion !== null) await completeLogin(async () => (await loadPasskeys()).logIn(assertion));
}

/**
 * Conditional UI: lets the browser offer passkeys in the autofill of the username field until `signal` aborts, and logs in with
 * the chosen passkey. Shows a failed login as a toast and throws it.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  const passkeys = await loadPasskeys();
  const assertion = await passkeys.getAutofillAssertion(signal);
  if (assertion !== null) await completeLogin(() => passkeys.logIn(assertion));
}

/** Finishes a login with a passkey as the second step, if the user chooses one. Shows an error as a toast and throws it. */
export async function finishWithPasskey(ticket: string): Promise<void> {
  const assertion = await choosePasskey((passkeys) => passkeys.getSecondStepAssertion(ticket));
  if (assertion !== null) await finishSecondStep({ ticket, passkey: assertion });
}

/** Finishes the second step of a login with a recovery code. Shows an error as a toast and throws it. */
export async function finishWithRecoveryCode(ticket: string, recoveryCode: string): Promise<void> {
  await finishSecondStep({ ticket, recoveryCode });
}

async function finishSecondStep(input: FinishSecondStepInput): Promise<void> {
  await completeLogin(async () => (await loadPasskeys()).finishSecondStep(input));
}

/** An earlier sign-up that may have created an account without logging in. */
let uncertainSignUp: RegisterInput | null = null;

async function register(input: RegisterInput): Promise<User> {
  try {
    return await request(calls.register, { json: input });
  } catch (error) {
    const isRepeated = uncertainSignUp?.username === input.username || uncertainSignUp?.email === input.email;
    if (isRepeated && codeOf(error) === 'taken') {
      const message = 'Your account may already have been created. Try to log in.';
      throw new ApiError(409, '', { code: 'taken', message });
    }
    if (mayHaveTakenEffect(error)) uncertainSignUp = input;
    throw error;
  }
}

/** Creates an account and logs in. Shows an error as a toast and throws it. */
export async function signUp(input: RegisterInput): Promise<void> {
  const user = await startSession('Registration failed', async () => {
    const created = await register(input);
    // The account exists, but if the session cannot be started, the user may sign up again.
    uncertainSignUp = input;
    // Before the session starts: the sign-up screen then redirects to a path that depends on the warm-up.
    startWarmUp(created.id);
    return created;
  });
  uncertainSignUp = null;
  showToast(
    'success',
    'Registration successful',
    `Welcome, ${user.username}! ${user.points} points are yours.`,
    { topic: 'auth' },
  );
}

async function startSession(failureTitle: string, authenticate: () => Promise<User>): Promise<User> {
  dismissTopic('auth');
  // The message that the previous user had no right to open the admin dashboard.
  dismissTopic('admin');
  try {
    const engine = await loadEngine();
    // A logout that has not reached the server yet would end the new session.
    await engine.finishLogout();
    const user = await authenticate();
    await engine.setUser(user).catch((cause: unknown) => {
      throw Object.assign(new Error('The database could not be opened', { cause }), {
        code: 'storage_closed',
      });
    });
    return user;
  } catch (error) {
    // Not a failure: the login continues with the second step.
    if (codeOf(error) === 'passkey_required') throw error;
    showToast('error', failureTitle, errorMessage(error), { topic: 'auth' });
    throw error;
  }
}

/** Saves the changes, if there are any, and shows a toast. */
export async function saveAccount(userId: number, changes: UpdateUserInput): Promise<void> {
  let text: string | null = null;
  if (Object.keys(changes).length > 0) {
    const user = await request(calls.updateUser, { json: changes, userId });
    await storeUser(user);
    // Saving the current email only withdraws a requested change. If that email is not verified, the server sends a new link, too,
    // which the toast does not mention.
    const isLinkSent = changes.email !== undefined && changes.email !== user.email;
    if (isLinkSent) text = `We sent a verification link to ${changes.email}.`;
  }
  showToast('success', 'Changes saved', text, { topic: 'account' });
}

/** Cancels an unverified change of the email by saving the current email again. */
export async function cancelEmailChange({ id, email }: User): Promise<void> {
  await storeUser(await request(calls.updateUser, { json: { email }, userId: id }));
}

/** Changes the password, which ends the sessions of other devices. */
export async function changePassword(userId: number, input: ChangePasswordInput): Promise<void> {
  await storeUser(await request(calls.changePassword, { json: input, userId }));
  showToast('success', 'Password changed', 'Your other devices are logged out.', { topic: 'account' });
}

export async function readSessions(userId: number): Promise<Session[]> {
  return request(calls.listSessions, { userId });
}

/** Ends a session of the user. A session that has already ended is not an error. */
export async function endSession(userId: number, id: string): Promise<void> {
  try {
    await request(calls.endSession, { params: { id }, userId });
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
  }
}

export async function endOtherSessions(userId: number): Promise<void> {
  await request(calls.endOtherSessions, { userId });
}

/** Fetches the user again, in case a link from a mail was opened in another browser. Ignores any failure. */
export async function refreshUser(): Promise<void> {
  await loadEngine()
    .then((engine) => engine.refreshUser())
    .catch(() => undefined);
}

/** Fetches the user again after a call that may have changed them; returns the message of `response`. */
async function refreshUserAfter(response: Promise<MessageResponse>): Promise<string> {
  const { message } = await response;
  void refreshUser();
  return message;
}

/** Requests another verification mail; returns the server's message. */
export function resendVerificationMail(userId: number): Promise<string> {
  return refreshUserAfter(request(calls.resendVerification, { userId }));
}

/** Requests the deletion of the account, which takes place after `DELETION_DELAY_DAYS`. */
export async function requestDeletion(userId: number, input: DeletionInput): Promise<void> {
  await storeUser(await request(calls.requestDeletion, { json: input, userId }));
}

/** Cancels the deletion of the account, and shows a toast. */
export async function cancelDeletion(userId: number): Promise<void> {
  await storeUser(await request(calls.cancelDeletion, { userId }));
  showToast('success', 'Your account will not be deleted', null, { topic: 'account' });
}

/** The state of the latest export file. */
export function readDataExport(userId: number): Promise<DataExport> {
  return request(calls.readExport, { userId });
}

/** Requests a new export file with all data of the user. */
export function requestDataExport(userId: number): Promise<DataExport> {
  return request(calls.requestExport, { userId });
}

export async function requestResetLink(input: ForgotPasswordInput): Promise<void> {
  await request(calls.forgotPassword, { json: input });
}

/** Verifies an email with the token of a mail; returns the server's message. */
export function verifyEmail(token: string, signal: AbortSignal): Promise<string> {
  return refreshUserAfter(request(calls.verifyEmail, { query: { token }, signal }));
}

/** Undoes a change of the email with the token of a mail; returns the server's message. */
export function undoEmailChange(token: string): Promise<string> {
  return refreshUserAfter(request(calls.undoEmailChange, { json: { token } }));
}

/** Undoes changes to passkeys and the second step with the token of a mail; returns the server's message. */
export function undoPasskeys(token: string): Promise<string> {
  return refreshUserAfter(request(calls.undoPasskeys, { json: { token } }));
}

/** Unsubscribes from the weekly mail with the token of its link; returns the server's message. */
export async function unsubscribe(token: string): Promise<string> {
  return (await request(calls.unsubscribe, { query: { token } })).message;
}

/** Sets a new password, which ends all sessions; returns the server's message. */
export function resetPassword(input: ResetPasswordInput): Promise<string> {
  return refreshUserAfter(request(calls.resetPassword, { json: input }));
}
