import { type SharedPoll, sharedPollSchema } from '#shared/polls/schema.ts';
import { slugOf } from './pending-vote.ts';

/** What the server has put into the page of a share link: the poll, or that there is none. */
export type ServedPoll = { kind: 'poll'; poll: SharedPoll } | { kind: 'missing' };

let prerenderedPoll: ServedPoll | null = null;
/**
 * The address for which the server has sent this page: the path at the first call, which is during the first render. `missing`
 * is about this address only. (A poll contains its own slug.)
 */
let servedPath: string | null = null;

/** Sets what `readServedPoll` returns while the build prerenders a page. */
export function setPrerenderedPoll(poll: ServedPoll): void {
  prerenderedPoll = poll;
}

/** What the server has put into this page, if it is the page of this slug; else null. */
export function readServedPoll(slug: string): ServedPoll | null {
  if (typeof document === 'undefined') return prerenderedPoll;
  const pollData = document.getElementById('root')?.dataset.poll ?? '';
  servedPath ??= location.pathname;
  // Not the page of a share link, or a temporary error.
  if (pollData === '') return null;
  if (pollData === 'null') return servedPath === location.pathname ? { kind: 'missing' } : null;
  try {
    const poll = sharedPollSchema.parse(JSON.parse(pollData));
    return slugOf(poll.shareUrl) === slug ? { kind: 'poll', poll } : null;
  } catch {
    // The page is from a server of another version. The screen then requests the poll.
    return null;
  }
}
