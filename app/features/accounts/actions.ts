import { request } from '#app/lib/api/api-client.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { loadEngine, sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import * as calls from '#shared/accounts/contract.ts';
import type {
  ForgotPasswordInput,
  LoginInput,
  RegisterInput,
  ResetPasswordInput,
  UpdateUserInput,
  User,
} from '#shared/accounts/schema.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import { isLogOutDialogOpenAtom } from './atoms.ts';

/** Logs in and opens the user's database. Shows a failure as a toast and throws it. */
export async function logIn(input: LoginInput): Promise<void> {
  const user = await startSession('Login failed', () => request(calls.logIn, { json: input }));
  showToast('success', 'Login successful', `Welcome back, ${user.username}!`, 'auth');
}

/** Creates an account and logs in. Shows a failure as a toast and throws it. */
export async function signUp(input: RegisterInput): Promise<void> {
  const user = await startSession('Registration failed', () => request(calls.register, { json: input }));
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

/** Logs out. Waiting changes are kept for this account, except those with the op ids in `discarded`. */
export async function logOut(discarded: readonly string[] = []): Promise<void> {
  store.set(isLogOutDialogOpenAtom, false);
  try {
    const engine = await loadEngine();
    await (discarded.length === 0 ? engine.logOut('keep') : engine.logOut('discard', discarded));
    showToast('success', 'Logged out', 'You have been successfully logged out.', 'auth');
  } catch (error) {
    showToast('error', 'Logout failed', errorMessage(error), 'auth');
  }
}

export async function saveAccount(userId: number, changes: UpdateUserInput): Promise<void> {
  const isNewEmail = changes.email !== undefined;
  if (Object.keys(changes).length > 0) {
    const user = await request(calls.updateUser, { json: changes, userId });
    const session = sessionState.get();
    // The user may have logged out meanwhile.
    if (session.status === 'user' && session.user.id === user.id) await (await loadEngine()).signedIn(user);
  }
  const text = isNewEmail ? `We sent a link to ${changes.email} to verify it.` : null;
  showToast('success', 'Changes saved', text, 'account');
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

export async function requestResetLink(input: ForgotPasswordInput): Promise<void> {
  await request(calls.forgotPassword, { json: input });
}

/** Verifies an email with the token of a mail; returns the server's message. */
export async function verifyEmail(token: string, signal: AbortSignal): Promise<string> {
  const { message } = await request(calls.verifyEmail, { query: { token }, signal });
  void refreshUser();
  return message;
}

/** Sets a new password, which ends all sessions; returns the server's message. */
export async function resetPassword(input: ResetPasswordInput): Promise<string> {
  const { message } = await request(calls.resetPassword, { json: input });
  void refreshUser();
  return message;
}
