import { type SharedPoll, sharedPollSchema } from '#shared/polls/schema.ts';
import { slugOf } from './pending-vote.ts';

/** What the server has put into the page of a share link. */
export type ServedPoll = { kind: 'poll'; poll: SharedPoll } | { kind: 'missing' };

let prerendered: ServedPoll | null = null;
let servedPath: string | null = null;

/** Sets what `readServedPoll` returns while the build prerenders a page. */
export function setPrerenderedPoll(served: ServedPoll): void {
  prerendered = served;
}

/** The poll that the server has put into this page, if it is the page of this slug. */
export function readServedPoll(slug: string): ServedPoll | null {
  if (typeof document === 'undefined') return prerendered;
  const data = document.getElementById('root')?.dataset.poll ?? '';
  servedPath ??= location.pathname;
  if (data === '') return null;
  if (data === 'null') return servedPath === location.pathname ? { kind: 'missing' } : null;
  try {
    const poll = sharedPollSchema.parse(JSON.parse(data));
    return slugOf(poll.shareUrl) === slug ? { kind: 'poll', poll } : null;
  } catch {
    // From a server of another version. The screen then requests the poll.
    return null;
  }
}
