import { background } from '#sync/client/background.ts';
import { isQuotaError } from '#sync/client/cache/storage.ts';
import { TimeLimitError, withTimeLimit } from '#sync/client/time-limit.ts';
import { checkUser, type SessionContext } from './session.ts';

/** Nobody could say who is signed in, and this tab works for nobody: it asks again after this. */
const ASK_AGAIN_MS = 10_000;
/** Longer than the requests and the opening of the database of a check take together. */
const CHECK_LIMIT_MS = 45_000;

/**
 * Asks who is signed in, or runs `check` instead, and then calls `onChecked`. A tab that works for nobody tries again, with
 * `openAndCheck` where no user's database is open, until it has been told: lost answers, or a database that did not open,
 * never leave it outside. Resolves with whether the server was asked.
 */
export function createSessionCheck(
  context: SessionContext,
  onChecked: () => void,
  openAndCheck: typeof checkUser,
): (check?: (context: SessionContext) => Promise<boolean>) => Promise<boolean> {
  const { clock, session } = context;
  let cancel = () => {};

  /** A database that does not open is told to a person for whom nothing is shown yet. */
  async function run(check: typeof checkUser): Promise<boolean> {
    try {
      return await withTimeLimit(clock, CHECK_LIMIT_MS, check(context));
    } catch (error) {
      // What is shown stays, also where there is no room for what the server has told.
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
      // A user whose session counts as over is open already.
      const again = current.status === 'user' ? checkUser : openAndCheck;
      cancel = clock.setTimeout(() => background(ask(again)), ASK_AGAIN_MS);
    }
    onChecked();
    return isKnown;
  };
}
