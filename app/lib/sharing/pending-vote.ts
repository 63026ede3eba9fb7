import * as z from 'zod/mini';
import { storedJson } from '#app/lib/browser/stored-json.ts';
import type { HydratableObservable } from '#app/lib/engine/use-observable.ts';
import { logWarning } from '#app/lib/log.ts';
import { type Option, optionSchema, type SharedPoll, sharedPollSchema } from '#shared/polls/schema.ts';
import { HOUR_MS } from '#shared/time.ts';

/** After this time, another user may be using the device. */
const TTL_MS = HOUR_MS;

const pendingVoteSchema = z.object({ poll: sharedPollSchema, option: optionSchema, chosenAtMs: z.number() });

/** The option that a visitor has chosen on the page of a share link, until they have signed up or logged in. */
export type PendingVote = z.infer<typeof pendingVoteSchema>;

const storedVote = storedJson('pending-vote', (data) => pendingVoteSchema.parse(data));
/** The pending vote in a browser that cannot store it. */
let voteInMemory: PendingVote | null = null;

function writePendingVote(vote: PendingVote | null): void {
  voteInMemory = vote;
  try {
    storedVote.set(vote);
    voteInMemory = null;
  } catch (error) {
    logWarning('The pending vote could not be stored and is lost when the page is closed:', error);
  }
}

function readPendingVote(): PendingVote | null {
  const vote = voteInMemory ?? storedVote.get();
  // Absolute, because the clock may have been set back since.
  return vote !== null && Math.abs(Date.now() - vote.chosenAtMs) < TTL_MS ? vote : null;
}

/** The pending vote; null in prerendered pages. */
export const pendingVoteState: HydratableObservable<PendingVote | null> = {
  ...storedVote,
  get: readPendingVote,
};

/** The slug of a share link. */
export function slugOf(shareUrl: string): string {
  return shareUrl.slice(shareUrl.lastIndexOf('/') + 1);
}

/** The pending vote for this share link; null if there is none. */
export function pendingVoteFor(slug: string): PendingVote | null {
  const vote = readPendingVote();
  return vote !== null && slugOf(vote.poll.shareUrl) === slug ? vote : null;
}

export function storePendingVote(poll: SharedPoll, option: Option): void {
  writePendingVote({ poll, option, chosenAtMs: Date.now() });
}

export function dropPendingVote(): void {
  writePendingVote(null);
}
