import * as z from 'zod/mini';
import { logWarning } from '#app/lib/log.ts';
import { type Option, optionSchema, type SharedPoll, sharedPollSchema } from '#shared/polls/schema.ts';
import { HOUR_MS } from '#shared/time.ts';
import type { Observable } from '#sync/client/observable.ts';

const STORAGE_KEY = 'pending-vote';
/** After this time, another user may be using the device. */
const TTL_MS = HOUR_MS;

const pendingVoteSchema = z.object({ poll: sharedPollSchema, option: optionSchema, chosenAtMs: z.number() });

/** The option that a visitor has chosen on the page of a share link, until they have signed up or logged in. */
export type PendingVote = z.infer<typeof pendingVoteSchema>;

// Used in place of the storage in browsers without it.
let textInMemory: string | null = null;
let lastParsed: { text: string | null; vote: PendingVote | null } = { text: null, vote: null };
const listeners = new Set<() => void>();

function readText(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return textInMemory;
  }
}

function writeText(text: string | null): void {
  textInMemory = text;
  try {
    if (text === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, text);
  } catch (error) {
    logWarning('The pending vote could not be stored and is lost when the page is closed:', error);
  }
  for (const listener of listeners) listener();
}

function parse(text: string | null): PendingVote | null {
  try {
    return text === null ? null : pendingVoteSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The slug of a share link. */
export function slugOf(shareUrl: string): string {
  return shareUrl.slice(shareUrl.lastIndexOf('/') + 1);
}

function readPendingVote(): PendingVote | null {
  const text = readText();
  // Returns the same object until the text changes, as `useSyncExternalStore` requires.
  if (text !== lastParsed.text) lastParsed = { text, vote: parse(text) };
  const { vote } = lastParsed;
  return vote !== null && Math.abs(Date.now() - vote.chosenAtMs) < TTL_MS ? vote : null;
}

/** The pending vote; null in prerendered pages. */
export const pendingVoteState: Observable<PendingVote | null> & { initial(): null } = {
  initial: () => null,
  get: readPendingVote,
  subscribe(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** The pending vote for this share link; null if there is none. */
export function pendingVoteFor(slug: string): PendingVote | null {
  const vote = readPendingVote();
  return vote !== null && slugOf(vote.poll.shareUrl) === slug ? vote : null;
}

export function storePendingVote(poll: SharedPoll, option: Option): void {
  writeText(JSON.stringify({ poll, option, chosenAtMs: Date.now() } satisfies PendingVote));
}

export function dropPendingVote(): void {
  writeText(null);
}
