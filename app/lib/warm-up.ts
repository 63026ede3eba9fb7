import { useUser } from '#app/lib/engine/session.ts';
import type { Observable } from '#sync/client/observable.ts';
import { useObservable } from './engine/use-observable.ts';

const STORAGE_KEY = 'warm-up';
/** How many votes a new account casts in the warm-up before its first poll. */
export const WARM_UP_VOTES = 3;

/** The votes in the warm-up of the account that has signed up on this device. */
type WarmUp = { userId: number; votedIds: readonly string[] };

let lastParsed: { text: string | null; warmUp: WarmUp | null } = { text: null, warmUp: null };
const listeners = new Set<() => void>();

function readText(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    // Without storage there is no warm-up.
    return null;
  }
}

function parse(text: string | null): WarmUp | null {
  try {
    const stored = text === null ? null : JSON.parse(text);
    return typeof stored?.userId === 'number' && Array.isArray(stored.votedIds) ? stored : null;
  } catch {
    return null;
  }
}

function readWarmUp(): WarmUp | null {
  const text = readText();
  // Returns the same object until the text changes, as `useSyncExternalStore` requires.
  if (text !== lastParsed.text) lastParsed = { text, warmUp: parse(text) };
  return lastParsed.warmUp;
}

function writeWarmUp(warmUp: WarmUp | null): void {
  try {
    if (warmUp === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, JSON.stringify(warmUp));
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

const warmUpState: Observable<WarmUp | null> & { initial(): null } = {
  initial: () => null,
  get: readWarmUp,
  subscribe(listener) {
    listeners.add(listener);
    // Fired when another tab writes to the storage.
    window.addEventListener('storage', listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  },
};

/** Starts the warm-up of a new account; existing accounts never have one. */
export function startWarmUp(userId: number): void {
  writeWarmUp({ userId, votedIds: [] });
}

/** Ends the warm-up permanently: the user has left it or created a poll, or there are no polls to vote on. */
export function endWarmUp(): void {
  if (readWarmUp() !== null) writeWarmUp(null);
}

export function isWarmingUp(userId: number): boolean {
  return readWarmUp()?.userId === userId;
}

/** Counts a vote of the user once, whichever screen it is cast on. */
export function countWarmUpVote(userId: number, pollId: string): void {
  const warmUp = readWarmUp();
  if (warmUp?.userId !== userId || warmUp.votedIds.includes(pollId)) return;
  writeWarmUp({ ...warmUp, votedIds: [...warmUp.votedIds, pollId] });
}

/** Subtracts a vote that was refused. */
export function uncountWarmUpVote(userId: number, pollId: string): void {
  const warmUp = readWarmUp();
  if (warmUp?.userId !== userId || !warmUp.votedIds.includes(pollId)) return;
  writeWarmUp({ ...warmUp, votedIds: warmUp.votedIds.filter((id) => id !== pollId) });
}

/** How many votes of the warm-up are cast, at most `WARM_UP_VOTES`; null without a warm-up. */
export function useWarmUpVotes(): number | null {
  const warmUp = useObservable(warmUpState);
  const userId = useUser()?.id;
  if (warmUp === null || warmUp.userId !== userId) return null;
  return Math.min(warmUp.votedIds.length, WARM_UP_VOTES);
}
