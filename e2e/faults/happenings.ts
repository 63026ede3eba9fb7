/** What random histories meet. */
const HAPPENINGS = [
  'a device ran the release before',
  'notifications were marked as read',
  'a poll was closed early',
  'a device was updated',
  'a tab stayed frozen for good',
  'a tab that held a lock stayed frozen for good',
  'a server was killed while it worked on something',
  'two servers took turns',
  'a log out or in ran beside other acts',
  'tabs did not hear of each other',
  'a write failed for want of room',
  'the databases of an open tab were evicted',
  'the databases of a closed device were evicted',
  'a connection broke before a commit',
  'a connection broke after a commit',
  'a call was refused by a rate limit',
  'an answer came from a newer server',
  'an unknown message came over a socket',
  'an unknown error code came',
  'an unknown poll status came',
  'a server was restored from a backup',
  'several votes went in one request',
  'a request with several votes met a fault',
] as const;

export type Happening = (typeof HAPPENINGS)[number];

/** Too rare for a short run: `server-acts.test.ts` has it by hand. */
const PLAYED_BY_HAND = new Set<Happening>(['an unknown error code came']);

/** How often each of them was met. */
export class Happenings {
  readonly counts = new Map<Happening, number>();

  /** What should have been met and was not: an act that never happens tests nothing. */
  get missed(): Happening[] {
    return HAPPENINGS.filter((what) => !PLAYED_BY_HAND.has(what) && !this.counts.has(what));
  }

  note(what: Happening): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
