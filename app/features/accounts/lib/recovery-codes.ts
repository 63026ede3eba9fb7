import { atom, useAtomValue } from 'jotai';
import { mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';

type RecoveryCodes = { userId: number } & (
  | { phase: 'new'; codes: readonly string[] }
  /** A change that may have made new codes got no response. `knownMadeAt`: when the codes were made that the user has. */
  | { phase: 'uncertain'; knownMadeAt: string | null }
);

/**
 * The new recovery codes, until the user has saved them; or, if later codes may be lost, which codes the user has. Not the state of
 * a component: the server returns each code only once, and components are removed by Back, a lost connection or an ended session.
 */
const recoveryCodesAtom = atom<RecoveryCodes | null>(null);

export function useRecoveryCodes(userId: number | undefined): RecoveryCodes | null {
  const recoveryCodes = useAtomValue(recoveryCodesAtom);
  return recoveryCodes?.userId === userId ? recoveryCodes : null;
}

/** Whether the latest recovery codes were made by a change without a response, so that the user has not seen them. */
export function areCodesUnseen(recoveryCodes: RecoveryCodes | null, list: PasskeyList): boolean {
  return recoveryCodes?.phase === 'uncertain' && recoveryCodes.knownMadeAt !== list.recoveryCodesMadeAt;
}

/**
 * Whether an administrator who needs recovery codes has seen none that work, because a change got no response. Asks the server only
 * after such a change.
 */
export async function areCodesMissing(): Promise<boolean> {
  const recoveryCodes = store.get(recoveryCodesAtom);
  if (recoveryCodes?.phase !== 'uncertain') return false;
  const { readPasskeys } = await import('./passkeys.ts');
  const list = await readPasskeys(recoveryCodes.userId);
  return list.secondStepRequired && (list.recoveryCodesLeft === 0 || areCodesUnseen(recoveryCodes, list));
}

export function showRecoveryCodes(userId: number, codes: readonly string[]): void {
  setRecoveryCodes({ userId, phase: 'new', codes });
}

/** A response may arrive after a logout: its codes are not kept in memory, where they would concern the next user. */
function setRecoveryCodes(recoveryCodes: RecoveryCodes): void {
  const session = sessionState.get();
  if (session.status === 'user' && session.user.id === recoveryCodes.userId)
    store.set(recoveryCodesAtom, recoveryCodes);
}

/**
 * Remembers which codes the user has, by the time at which they were made according to `list`: later ones may be lost. What was
 * remembered before is kept, since `list` may then be about lost codes.
 */
export function rememberKnownCodes(userId: number, list: PasskeyList): void {
  const before = store.get(recoveryCodesAtom);
  if (before?.userId === userId && before.phase === 'uncertain') return;
  setRecoveryCodes({ userId, phase: 'uncertain', knownMadeAt: list.recoveryCodesMadeAt });
}

/**
 * Runs `change`, after which there may be codes that the user has not seen, or none although they are needed. Remembers the known
 * codes before the response, since the component may be removed meanwhile, and forgets them afterwards unless a response was lost.
 */
export async function rememberKnownCodesDuring<Result>(
  userId: number,
  list: PasskeyList,
  change: () => Promise<Result>,
): Promise<Result> {
  let isUncertain = store.get(recoveryCodesAtom)?.userId === userId;
  rememberKnownCodes(userId, list);
  try {
    return await change();
  } catch (error) {
    isUncertain ||= mayHaveTakenEffect(error);
    throw error;
  } finally {
    if (!isUncertain && store.get(recoveryCodesAtom)?.userId === userId) forgetRecoveryCodes();
  }
}

export function forgetRecoveryCodes(): void {
  store.set(recoveryCodesAtom, null);
}
