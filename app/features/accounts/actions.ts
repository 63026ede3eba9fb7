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
import { logOutAskedAtom } from './atoms.ts';

/** Logs in and opens this user's database; throws what the server answered. */
export async function logIn(input: LoginInput): Promise<void> {
  const user = await announced('Login failed', () => request(calls.logIn, { json: input }));
  await enter(user, 'Login failed');
  showToast('good', 'Login successful', `Welcome back, ${user.username}!`, 'auth');
}

/** Creates an account, which is logged in from then on; throws what the server answered. */
export async function signUp(input: RegisterInput): Promise<void> {
  const user = await announced('Registration failed', () => request(calls.register, { json: input }));
  await enter(user, 'Registration failed');
  showToast(
    'good',
    'Registration successful',
    `Welcome, ${user.username}! ${user.points} points are yours.`,
    'auth',
  );
}

/** Whoever has logged out before is logged out on the server first: its answer would end the new session. */
async function announced(failure: string, call: () => Promise<User>): Promise<User> {
  dismissTopic('auth');
  try {
    await (await loadEngine()).finishLogOut();
    return await call();
  } catch (error) {
    showToast('bad', failure, errorMessage(error), 'auth');
    throw error;
  }
}

async function enter(user: User, failure: string): Promise<void> {
  try {
    await (await loadEngine()).signedIn(user);
  } catch (error) {
    showToast(
      'bad',
      failure,
      'This device could not open its storage. Close the other tabs of this app and try again.',
      'auth',
    );
    throw error;
  }
}

/** Logs out, but asks first when changes wait that have not reached the server. */
export async function askToLogOut(): Promise<void> {
  const session = sessionState.get();
  const waiting = session.status === 'user' ? (await readOutbox(session.db)).waiting : [];
  if (waiting.length === 0) await logOut();
  else store.set(logOutAskedAtom, true);
}

/** Tries to send what waits, now, also after the last try for a connection. */
export async function sendWaiting(): Promise<void> {
  (await loadEngine()).tryConnection();
}

/** Logs out; what waits is kept for this account, but for the changes that the person discards (by op id). */
export async function logOut(discarded: readonly string[] = []): Promise<void> {
  store.set(logOutAskedAtom, false);
  try {
    const engine = await loadEngine();
    await (discarded.length === 0 ? engine.logOut('keep') : engine.logOut('discard', discarded));
    showToast('good', 'Logged out', 'You have been successfully logged out.', 'auth');
  } catch (error) {
    showToast('bad', 'Logout failed', errorMessage(error), 'auth');
  }
}

/** Saves what was changed of the account of the user with this id; throws what the server answered. */
export async function saveAccount(userId: number, changes: UpdateUserInput): Promise<void> {
  const isNewEmail = changes.email !== undefined;
  if (Object.keys(changes).length > 0) {
    await keepUser(await request(calls.updateUser, { json: changes, userId }));
  }
  const text = isNewEmail ? `We sent a link to ${changes.email} to verify it.` : null;
  showToast('good', 'Changes saved', text, 'account');
}

/** Whoever has logged out meanwhile stays logged out. */
async function keepUser(user: User): Promise<void> {
  const session = sessionState.get();
  if (session.status === 'user' && session.user.id === user.id) await (await loadEngine()).signedIn(user);
}

/** Asks the server what the account is by now: a mail's link may have been opened elsewhere. */
export async function refreshUser(): Promise<void> {
  await (await loadEngine()).refreshUser().catch(() => undefined);
}

/** Sends the user with this id the verification mail again; answers the server's words or throws its refusal. */
export async function resendVerificationMail(userId: number): Promise<string> {
  const { message } = await request(calls.resendVerification, { userId });
  void refreshUser();
  return message;
}

/** Has a reset link sent; throws what the server answered. */
export async function requestResetLink(input: ForgotPasswordInput): Promise<void> {
  await request(calls.forgotPassword, { json: input });
}

/** Verifies the email that a link was sent to; answers the server's words or throws its refusal. */
export async function verifyWithToken(token: string, signal: AbortSignal): Promise<string> {
  const { message } = await request(calls.verifyEmail, { query: { token }, signal });
  void refreshUser();
  return message;
}

/** Sets a new password, which ends every session; answers the server's words or throws its refusal. */
export async function setNewPassword(input: ResetPasswordInput): Promise<string> {
  const { message } = await request(calls.resetPassword, { json: input });
  void refreshUser();
  return message;
}
