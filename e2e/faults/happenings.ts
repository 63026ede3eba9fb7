import type { ErrorCode } from '#shared/errors.ts';
import type { LoggedRoute } from './effect-log.ts';

/** What the servers do and refuse, by kind of call with the status or the code of its answer. */
const ANSWERED = {
  'change_vote 200': 'a vote was changed',
  'change_vote change_limit': 'a vote was changed too often',
  'report 200': 'a poll was reported',
  'report own_poll': 'an own poll was reported',
  'report not_found': 'a poll was reported that was deleted',
  'take_back_report 200': 'a report was taken back',
  'block 204': 'a user was blocked',
  'block own_account': 'a user blocked themselves',
  'block not_found': 'a user was blocked who is nobody',
  'unblock 204': 'a user was unblocked',
} as const;

/** What random histories meet. */
const HAPPENINGS = [
  ...Object.values(ANSWERED),
  'a report or a block was undone while it waited',
  'two devices of a user hid and showed the same',
  'a device ran the release before',
  'notifications were marked as read',
  'a poll was closed early',
  'a device was updated',
  "a device's clock was put back",
  'a tab stayed frozen for good',
  'a tab that held a lock stayed frozen for good',
  'a server was killed while it worked on something',
  'two servers took turns',
  'a log out or in ran beside other acts',
  'a tab was killed while it logged out',
  'tabs did not hear of each other',
  'a write failed for want of room',
  'the databases of an open tab were evicted',
  'the databases of a closed device were evicted',
  'a connection broke before a commit',
  'a connection broke after a commit',
  'a call was refused by a rate limit',
  'an answer came from a newer server',
  'an answer came from an older server',
  'a server did not know a call yet',
  'an unknown message came over a socket',
  'an unknown error code came',
  'an unknown poll status came',
  'a server was restored from a backup',
  'several votes went in one request',
  'a request with several votes met a fault',
] as const;

export type Happening = (typeof HAPPENINGS)[number];

/** What an answer of a server tells, if it is one of those. */
export function happeningOf(
  route: LoggedRoute,
  status: number,
  code: ErrorCode | undefined,
): Happening | undefined {
  const answers: Partial<Record<string, Happening>> = ANSWERED;
  return answers[`${route} ${code ?? status}`];
}

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
