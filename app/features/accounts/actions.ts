import { request } from '#app/lib/api/api-client.ts';
import { ApiError, codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { loadEngine, sessionState, storeUser } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { startWarmUp } from '#app/lib/warm-up.ts';
import * as calls from '#shared/accounts/contract.ts';
import type { FinishSecondStepInput } from '#shared/accounts/passkeys/schema.ts';
import type {
  ChangePasswordInput,
  DataExport,
  DeletionInput,
  ForgotPasswordInput,
  LoginInput,
  RegisterInput,
  ResetPasswordInput,
  Session,
  UpdateUserInput,
  User,
} from '#shared/accounts/schema.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import { dropReceivedPhotos } from '#sync/client/device/received-photos.ts';
import { isLogOutDialogOpenAtom } from './atoms.ts';

/**
 * Logs in and opens the user's database. Returns the ticket of the second step where one follows, else null. Shows a failure as
 * a toast and throws it.
 */
export async function logIn(input: LoginInput): Promise<string | null> {
  try {
    welcome(await startSession('Login failed', () => request(calls.logIn, { json: input })));
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.ticket !== null) return error.ticket;
    throw error;
  }
}

function welcome({ username }: User) {
  showToast('success', 'Login successful', `Welcome back, ${username}!`, 'auth');
}

const loadPasskeys = () => import('./lib/passkeys.ts');

/** Logs in with a passkey that the user chooses, if they choose one. Shows a failure as a toast and throws it. */
export async function logInWithPasskey(): Promise<void> {
  const failure = 'Login failed';
  const passkeys = await loadPasskeys();
  const passkey = await passkeys.askForLogin().catch((error: unknown) => {
    showToast('error', failure, passkeys.failureMessage(error), 'auth');
    throw error;
  });
  if (passkey !== null) welcome(await startSession(failure, () => passkeys.logIn(passkey)));
}

/** Has the browser offer passkeys in the field for the name, where it can, until `signal` aborts. */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  const passkeys = await loadPasskeys();
  const passkey = await passkeys.askInField(signal);
  if (passkey !== null) welcome(await startSession('Login failed', () => passkeys.logIn(passkey)));
}

/** Finishes a login by password with a passkey that the user chooses, if they choose one. Shows a failure as a toast and throws it. */
export async function finishWithPasskey(ticket: string): Promise<void> {
  const passkeys = await loadPasskeys();
  const passkey = await passkeys.askForSecondStep(ticket).catch((error: unknown) => {
    showToast('error', 'Login failed', passkeys.failureMessage(error), 'auth');
    throw error;
  });
  if (passkey !== null) await finish({ ticket, passkey });
}

/** Finishes a login by password with a recovery code. Shows a failure as a toast and throws it. */
export async function finishWithRecoveryCode(ticket: string, recoveryCode: string): Promise<void> {
  await finish({ ticket, recoveryCode });
}

async function finish(input: FinishSecondStepInput): Promise<void> {
  const passkeys = await loadPasskeys();
  welcome(await startSession('Login failed', () => passkeys.finishSecondStep(input)));
}

/** Creates an account and logs in. Shows a failure as a toast and throws it. */
export async function signUp(input: RegisterInput): Promise<void> {
  const user = await startSession('Registration failed', async () => {
    const created = await request(calls.register, { json: input });
    // Before the app shows the new session, which leads on.
    startWarmUp(created.id);
    return created;
  });
  showToast(
    'success',
    'Registration successful',
    `Welcome, ${user.username}! ${user.points} points are yours.`,
    'auth',
  );
}

async function startSession(failure: string, authenticate: () => Promise<User>): Promise<User> {
  dismissTopic('auth');
  let storageMessage: string | null = null;
  try {
    const engine = await loadEngine();
    // A log-out that the server has not answered yet would end the new session.
    await engine.finishLogOut();
    const user = await authenticate();
    storageMessage =
      'This device could not open its storage. Close the other tabs of this app and try again.';
    await engine.signedIn(user);
    return user;
  } catch (error) {
    // The second step follows.
    if (codeOf(error) === 'passkey_required') throw error;
    showToast('error', failure, storageMessage ?? errorMessage(error), 'auth');
    throw error;
  }
}

/** Logs out, but asks first when changes are waiting to be sent. */
export async function requestLogOut(): Promise<void> {
  const session = sessionState.get();
  const waiting = session.status === 'user' ? (await readOutbox(session.db)).waiting : [];
  if (waiting.length === 0) await logOut();
  else store.set(isLogOutDialogOpenAtom, true);
}

/** Sends waiting changes now, even after the automatic attempts to reconnect have stopped. */
export async function sendWaitingChanges(): Promise<void> {
  (await loadEngine()).tryConnection();
}

type LogOutOptions = {
  /** The op ids of waiting changes that are not kept for this account. */
  discarded?: readonly string[];
  /** How many changes are. */
  keptCount?: number;
};

/** Logs out, and says how many changes are kept on this device. */
export async function logOut({ discarded = [], keptCount = 0 }: LogOutOptions = {}): Promise<void> {
  store.set(isLogOutDialogOpenAtom, false);
  try {
    const engine = await loadEngine();
    await (discarded.length === 0 ? engine.logOut('keep') : engine.logOut('discard', discarded));
    void dropReceivedPhotos();
    const verb = keptCount === 1 ? 'is' : 'are';
    const kept = `${countLabel(keptCount, 'change')} ${verb} kept on this device and sent when you log in again.`;
    const text = `You have been successfully logged out.${keptCount === 0 ? '' : ` ${kept}`}`;
    showToast('success', 'Logged out', text, 'auth');
  } catch (error) {
    showToast('error', 'Logout failed', errorMessage(error), 'auth');
  }
}

export async function saveAccount(userId: number, changes: UpdateUserInput): Promise<void> {
  if (Object.keys(changes).length > 0) {
    await storeUser(await request(calls.updateUser, { json: changes, userId }));
  }
  const text = changes.email === undefined ? null : `We sent a link to ${changes.email} to verify it.`;
  showToast('success', 'Changes saved', text, 'account');
}

/** Withdraws a new email that is not confirmed yet. */
export async function withdrawEmail({ id, email }: User): Promise<void> {
  await storeUser(await request(calls.updateUser, { json: { email }, userId: id }));
}

/** Changes the password, which ends the sessions of other devices. */
export async function changePassword(userId: number, input: ChangePasswordInput): Promise<void> {
  await storeUser(await request(calls.changePassword, { json: input, userId }));
  showToast('success', 'Password changed', 'Your other devices are logged out.', 'account');
}

export async function readSessions(userId: number): Promise<Session[]> {
  return request(calls.listSessions, { userId });
}

/** Ends a session of the user; one that has ended already is no error. */
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

/** Fetches the user again: the link of a mail may have been opened elsewhere. */
export async function refreshUser(): Promise<void> {
  await (await loadEngine()).refreshUser().catch(() => undefined);
}

/** Requests another verification mail; returns the server's message. */
export async function resendVerificationMail(userId: number): Promise<string> {
  const { message } = await request(calls.resendVerification, { userId });
  void refreshUser();
  return message;
}

/** Has the account deleted in seven days. */
export async function requestDeletion(userId: number, input: DeletionInput): Promise<void> {
  await storeUser(await request(calls.requestDeletion, { json: input, userId }));
}

/** Keeps the account after all. */
export async function cancelDeletion(userId: number): Promise<void> {
  await storeUser(await request(calls.cancelDeletion, { userId }));
  showToast('success', 'Your account stays', null, 'account');
}

export function readDataExport(userId: number): Promise<DataExport> {
  return request(calls.readExport, { userId });
}

/** Asks the server for a file with everything about the user. */
export function requestDataExport(userId: number): Promise<DataExport> {
  return request(calls.requestExport, { userId });
}

export async function requestResetLink(input: ForgotPasswordInput): Promise<void> {
  await request(calls.forgotPassword, { json: input });
}

/** Verifies an email with the token of a mail; returns the server's message. */
export async function verifyEmail(token: string, signal: AbortSignal): Promise<string> {
  const { message } = await request(calls.verifyEmail, { query: { token }, signal });
  void refreshUser();
  return message;
}

/** Undoes a change of the email with the token of a mail; returns the server's message. */
export async function undoEmailChange(token: string): Promise<string> {
  const { message } = await request(calls.undoEmailChange, { json: { token } });
  void refreshUser();
  return message;
}

/** Undoes changes to passkeys and the second step with the token of a mail; returns the server's message. */
export async function undoPasskeys(token: string): Promise<string> {
  const { message } = await request(calls.undoPasskeys, { json: { token } });
  void refreshUser();
  return message;
}

/** Ends the weekly mail with the token of its link; returns what the server says about it. */
export async function unsubscribe(token: string): Promise<string> {
  return (await request(calls.unsubscribe, { query: { token } })).message;
}

/** Sets a new password, which ends all sessions; returns the server's message. */
export async function resetPassword(input: ResetPasswordInput): Promise<string> {
  const { message } = await request(calls.resetPassword, { json: input });
  void refreshUser();
  return message;
}
