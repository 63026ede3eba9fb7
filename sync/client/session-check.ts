import { background } from './background.ts';
import { checkUser, type SessionContext } from './session.ts';
import type { Clock } from './types.ts';

/** Nobody could say who is signed in, and this tab works for nobody: it asks again after this. */
const ASK_AGAIN_MS = 10_000;

/**
 * Asks who is signed in, or runs `check` instead, and then calls `onChecked`. A tab that works for nobody asks again
 * until it has been told: one lost answer never leaves it outside.
 */
export function createSessionCheck(
  context: SessionContext,
  clock: Clock,
  onChecked: () => void,
): (check?: (context: SessionContext) => Promise<boolean>) => Promise<void> {
  let cancel = () => {};

  return async function ask(check = checkUser) {
    cancel();
    const isKnown = await check(context);
    const current = context.session.get();
    const isWorking = current.status === 'user' && !current.needsLogin;
    if (!isKnown && !isWorking) {
      cancel();
      cancel = clock.setTimeout(() => background(ask()), ASK_AGAIN_MS);
    }
    onChecked();
  };
}
