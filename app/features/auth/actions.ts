import { login, register } from '#app/lib/api-client.ts';
import { loadEngine } from '#app/lib/engine.ts';
import { errorMessage } from '#app/lib/error-message.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { LoginInput, RegisterInput, User } from '#shared/auth/schema.ts';

/** Logs in and opens this user's database; throws what the server answered. */
export async function logIn(input: LoginInput): Promise<void> {
  const user = await announced('Login failed', () => login(input));
  await enter(user, 'Login failed');
  showToast('good', 'Login successful', `Welcome back, ${user.username}!`);
}

/** Creates an account, which is logged in from then on; throws what the server answered. */
export async function signUp(input: RegisterInput): Promise<void> {
  const user = await announced('Registration failed', () => register(input));
  await enter(user, 'Registration failed');
  showToast('good', 'Registration successful', `Welcome, ${user.username}! ${user.points} points are yours.`);
}

async function announced(failure: string, call: () => Promise<User>): Promise<User> {
  try {
    return await call();
  } catch (error) {
    showToast('bad', failure, errorMessage(error));
    throw error;
  }
}

async function enter(user: User, failure: string): Promise<void> {
  try {
    await (await loadEngine()).signedIn(user);
  } catch (error) {
    showToast('bad', failure, 'This device could not open its storage. Please reload and try again.');
    throw error;
  }
}

export async function logOut(): Promise<void> {
  try {
    await (await loadEngine()).logOut();
    showToast('good', 'Logged out', 'You have been successfully logged out.');
  } catch (error) {
    showToast('bad', 'Logout failed', errorMessage(error));
  }
}
