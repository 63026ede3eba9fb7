import { background } from '#sync/client/background.ts';
import { isQuotaError } from '#sync/client/cache/storage.ts';
import { TimeLimitError, withTimeLimit } from '#sync/client/time-limit.ts';
import { checkUser } from './session.ts';
import type { SessionContext } from './session-context.ts';

/** The delay before a tab without a working session checks again after a failed check. */
const RECHECK_DELAY_MS = 10_000;
/** Longer than the requests and the database work of a check together. */
const CHECK_LIMIT_MS = 45_000;

/**
 * Returns a function that asks who is logged in (or runs another `check`) and then calls `onChecked`. A tab without a working
 * session repeats that until the server has answered, with `openAndCheck` while no user's database is open: neither lost
 * answers nor a database that did not open lock it out. Resolves with whether the server has answered.
 */
export function createSessionCheck(
  context: SessionContext,
  onChecked: () => void,
  openAndCheck: typeof checkUser,
): (check?: (context: SessionContext) => Promise<boolean>) => Promise<boolean> {
  const { clock, session } = context;
  let cancel = () => {};

  /** Reports a database that does not open as `storage_blocked`, unless a user is shown already. */
  async function run(check: typeof checkUser): Promise<boolean> {
    try {
      return await withTimeLimit(clock, CHECK_LIMIT_MS, check(context));
    } catch (error) {
      // What is shown stays, even without space for the server's response.
      if (isQuotaError(error)) return false;
      if (!(error instanceof TimeLimitError)) throw error;
      if (session.get().status !== 'user') session.set({ status: 'storage_blocked' });
      return false;
    }
  }

  return async function ask(check = checkUser) {
    cancel();
    const isKnown = await run(check);
    const current = session.get();
    const isWorking = current.status === 'user' && !current.needsLogin;
    if (!isKnown && !isWorking) {
      cancel();
      // The database of a user who needs to log in is open already.
      const again = current.status === 'user' ? checkUser : openAndCheck;
      cancel = clock.setTimeout(() => background(ask(again)), RECHECK_DELAY_MS);
    }
    onChecked();
    return isKnown;
  };
}
