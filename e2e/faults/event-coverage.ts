import type { ErrorCode } from '#shared/errors.ts';
import type { LoggedRoute } from './effect-log.ts';

/** Events recognized by a response: by the kind of call, and the status or error code. */
const RESPONSE_EVENTS = {
  'change_vote 200': 'a vote was changed',
  'change_vote change_limit': 'a change of a vote exceeded the limit',
  'report 200': 'a poll was reported',
  'report own_poll': 'a user reported their own poll',
  'report not_found': 'a deleted poll was reported',
  'take_back_report 200': 'a report was taken back',
  'block 204': 'a user was blocked',
  'block own_account': 'a user blocked themselves',
  'block not_found': 'a username that does not exist was blocked',
  'unblock 204': 'a user was unblocked',
} as const;

/** The events that random histories have to cover. */
const EVENTS = [
  ...Object.values(RESPONSE_EVENTS),
  'a report or a block was undone while it waited',
  'one device of a user hid something and another showed it again',
  'a device ran an earlier release',
  'notifications were marked as read',
  'a poll was closed early',
  'a device was updated',
  "a device's clock was set back",
  'a tab remained frozen',
  'a tab that held a lock remained frozen',
  'a server was killed during a request',
  'the second of two servers got a request',
  'a login or logout ran concurrently with other actions',
  'a tab was killed while it logged out',
  'tabs had no broadcast channel',
  'a write exceeded the quota',
  'the databases of an open tab were evicted',
  'the databases of a closed device were evicted',
  'a connection broke before a commit',
  'a connection broke after a commit',
  'a rate limit refused a call',
  'a newer server responded',
  'an older server responded',
  'an older server did not know a call',
  'a socket sent an unknown message',
  'a response had an unknown error code',
  'a response had an unknown poll status',
  'a server was restored from a backup',
  'a request had several votes',
  'a request with several votes had a fault',
] as const;

export type CoveredEvent = (typeof EVENTS)[number];

/** The event that a response of a server shows, if any. */
export function eventOfResponse(
  route: LoggedRoute,
  status: number,
  code: ErrorCode | undefined,
): CoveredEvent | undefined {
  const events: Partial<Record<string, CoveredEvent>> = RESPONSE_EVENTS;
  return events[`${route} ${code ?? status}`];
}

/** Events too rare for a short run; `server-faults.test.ts` provokes them. */
const RARE = new Set<CoveredEvent>(['a response had an unknown error code']);

/** Counts events, to make sure that random histories really contain each kind of fault. */
export class EventCoverage {
  readonly counts = new Map<CoveredEvent, number>();

  get missing(): CoveredEvent[] {
    return EVENTS.filter((event) => !RARE.has(event) && !this.counts.has(event));
  }

  record(event: CoveredEvent): void {
    this.counts.set(event, (this.counts.get(event) ?? 0) + 1);
  }
}
