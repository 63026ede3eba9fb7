import { useAtom } from 'jotai';
import { passAtom } from '#app/features/explore/atoms.ts';
import { NEW_PASS, type Pass } from '#app/features/explore/lib/pass.ts';
import { useUserDb } from '#app/lib/engine/session.ts';

/** The user's pass through the deck, which is kept when the screen is left, and a function that changes it. */
export function usePass(): [Pass, (change: (pass: Pass) => Pass) => void] {
  const userDb = useUserDb();
  const [state, setState] = useAtom(passAtom);
  const passOf = (current: typeof state) => (current?.userDb === userDb ? current.pass : NEW_PASS);
  return [passOf(state), (change) => setState((current) => ({ userDb, pass: change(passOf(current)) }))];
}
