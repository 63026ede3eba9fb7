import { isQuotaError } from '#sync/client/cache/storage.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import { BrowserTimeoutError, withTimeout } from '#sync/client/timeout.ts';
import { remainingLoginMs } from './log-out.ts';
import { checkUser } from './session.ts';
import type { SessionContext } from './session-context.ts';

/** The delay before a tab without a working session checks again after a failed check. */
const RECHECK_DELAY_MS = 10_000;
/** Longer than all requests and database work of a check take in total. */
const CHECK_TIMEOUT_MS = 45_000;

/**
 * Returns a function that asks the server who is logged in (or runs another `check`), calls `onChecked`, and resolves with
 * whether the check was completed: not without a response, after a timeout, or without space for the response. A tab without a
 * working session repeats the check until it is completed, with `openAndCheck` while no user's database is open. The tab thus
 * recovers from a missing response and from a blocked database. An error other than a timeout or a lack of space ends the
 * repetition.
 */
export function createSessionCheck(
  context: SessionContext,
  onChecked: () => void,
  openAndCheck: typeof checkUser,
): (check?: (context: SessionContext) => Promise<boolean>) => Promise<boolean> {
  const { clock, session } = context;
  let cancel = () => {};

  /** Runs a check with a timeout. Sets `storage_blocked` if the database does not open, unless a user is already shown. */
  async function run(check: typeof checkUser): Promise<boolean> {
    try {
      return await withTimeout(clock, CHECK_TIMEOUT_MS, check(context));
    } catch (error) {
      // If there is no space for the server's response, the session does not change.
      if (isQuotaError(error)) return false;
      if (!(error instanceof BrowserTimeoutError)) throw error;
      if (session.get().status !== 'user') session.set({ status: 'storage_blocked' });
      return false;
    }
  }

  return async function checkSession(check = checkUser) {
    cancel();
    const isCompleted = await run(check);
    const current = session.get();
    const isWorking = current.status === 'user' && !current.needsLogin;
    if (!isCompleted && !isWorking) {
      // A concurrent check may have scheduled a repetition, too.
      cancel();
      // The database of a user who has to log in is already open.
      const nextCheck = current.status === 'user' ? checkUser : openAndCheck;
      // A check first sends a pending logout, which has to wait for a login under way.
      const delayMs = remainingLoginMs(context) || RECHECK_DELAY_MS;
      cancel = clock.setTimeout(() => runInBackground(checkSession(nextCheck)), delayMs);
    }
    onChecked();
    return isCompleted;
  };
}
