import { storedJson } from './browser/stored-json.ts';
import { useUser } from './engine/session.ts';
import { useObservable } from './engine/use-observable.ts';

/** How many votes a new account casts in the warm-up before its first poll. */
export const WARM_UP_VOTES = 3;

/** The votes in the warm-up of the account that has signed up on this device. */
type WarmUp = { userId: number; votedIds: readonly string[] };

const storedWarmUp = storedJson<WarmUp>('warm-up', (data) => {
  const { userId, votedIds } = data as Partial<WarmUp>;
  return typeof userId === 'number' && Array.isArray(votedIds) ? { userId, votedIds } : null;
});

function writeWarmUp(warmUp: WarmUp | null): void {
  try {
    storedWarmUp.set(warmUp);
  } catch {
    // Without storage there is no warm-up.
  }
}

/** Starts the warm-up of a new account; existing accounts never have one. */
export function startWarmUp(userId: number): void {
  writeWarmUp({ userId, votedIds: [] });
}

/** Ends the warm-up permanently: the user has left it or created a poll, or there are no polls to vote on. */
export function endWarmUp(): void {
  if (storedWarmUp.get() !== null) writeWarmUp(null);
}

export function isWarmingUp(userId: number): boolean {
  return storedWarmUp.get()?.userId === userId;
}

/** Counts a vote of the user once, whichever screen it is cast on. */
export function countWarmUpVote(userId: number, pollId: string): void {
  const warmUp = storedWarmUp.get();
  if (warmUp?.userId !== userId || warmUp.votedIds.includes(pollId)) return;
  writeWarmUp({ ...warmUp, votedIds: [...warmUp.votedIds, pollId] });
}

/** Subtracts a vote that was refused. */
export function uncountWarmUpVote(userId: number, pollId: string): void {
  const warmUp = storedWarmUp.get();
  if (warmUp?.userId !== userId || !warmUp.votedIds.includes(pollId)) return;
  writeWarmUp({ ...warmUp, votedIds: warmUp.votedIds.filter((id) => id !== pollId) });
}

/** How many votes of the warm-up are cast, at most `WARM_UP_VOTES`; null without a warm-up. */
export function useWarmUpVotes(): number | null {
  const warmUp = useObservable(storedWarmUp);
  const userId = useUser()?.id;
  if (warmUp === null || warmUp.userId !== userId) return null;
  return Math.min(warmUp.votedIds.length, WARM_UP_VOTES);
}
