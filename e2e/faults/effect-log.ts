import type { Call } from '#shared/contract.ts';
import { castVote, changeVote } from '#shared/polls/contract.ts';
import { blockUser, reportPoll, takeBackReport, unblockUser } from '#shared/reports/contract.ts';

/** A call with a key, as a server receives it. */
export type KeyedCall = { key: string; userId: string; method: string; path: string; body: string };

const CALLS = {
  vote: castVote,
  change_vote: changeVote,
  report: reportPoll,
  take_back_report: takeBackReport,
  block: blockUser,
  unblock: unblockUser,
} satisfies Record<string, Call>;

/** A kind of call whose effect is logged, with the name used in receipts. */
export type LoggedRoute = keyof typeof CALLS;

/** The state of a vote, report or block that does not exist. */
export const ABSENT = 'absent';
/** The state of a report or a block that exists. */
export const PRESENT = 'present';

/** The effect of a call on the server: `subject` is in `state`. */
type Effect = { route: LoggedRoute; userId: number; subject: string; pollId: string | null; state: string };

/** A call, with the logical times between which it may have taken effect. */
type Entry = Effect & {
  /** The start of each attempt that may have taken effect. */
  startTimes: number[];
  /** When a server first responded with success; null until then. */
  endedAt: number | null;
};

/** The possible states of a subject: several if calls about it were concurrent, or one of them got no response. */
export type ExpectedEffect = Pick<Effect, 'userId' | 'subject' | 'pollId'> & { states: ReadonlySet<string> };

export const voteOf = (userId: number, pollId: string) => `the vote of ${userId} on ${pollId}`;
export const reportOf = (userId: number, pollId: string) => `the report of ${userId} of ${pollId}`;
export const blockOf = (userId: number, username: string) =>
  `the block of ${username.toLowerCase()} by ${userId}`;

const PATTERNS = Object.entries(CALLS).map(([route, { method, path }]) => ({
  route: route as LoggedRoute,
  method,
  path: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
}));

function effectOf({ method, path, body, ...call }: KeyedCall): Effect | null {
  const userId = Number(call.userId);
  for (const pattern of PATTERNS) {
    const target = method === pattern.method ? pattern.path.exec(path)?.[1] : undefined;
    if (target === undefined) continue;
    const { route } = pattern;
    switch (route) {
      case 'vote':
      case 'change_vote':
        return {
          route,
          userId,
          subject: voteOf(userId, target),
          pollId: target,
          state: String(JSON.parse(body).option),
        };
      case 'report':
      case 'take_back_report':
        return {
          route,
          userId,
          subject: reportOf(userId, target),
          pollId: target,
          state: route === 'report' ? PRESENT : ABSENT,
        };
      case 'block':
      case 'unblock':
        return {
          route,
          userId,
          subject: blockOf(userId, target),
          pollId: null,
          state: route === 'block' ? PRESENT : ABSENT,
        };
    }
  }
  return null;
}

/** The requested changes and their responses, with logical times, as the proxy in front of the servers sees them. */
export class EffectLog {
  #time = 0;
  readonly #entries = new Map<string, Entry>();

  clear(): void {
    this.#entries.clear();
  }

  /** Called after a restore of the server, which now knows only these keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
  }

  /** Called when calls are sent to a server; returns the logical time. */
  begin(calls: readonly KeyedCall[]): number {
    this.#time += 1;
    for (const call of calls) {
      const effect = effectOf(call);
      if (effect === null) continue;
      const entry = this.#entries.get(call.key) ?? { ...effect, startTimes: [], endedAt: null };
      if (entry.endedAt === null) entry.startTimes.push(this.#time);
      this.#entries.set(call.key, entry);
    }
    return this.#time;
  }

  /** Called for the response to a call that was sent at `startedAt`. Returns the kind of the call, if it is logged. */
  end(
    key: string,
    startedAt: number,
    { status, isFinal }: { status: number; isFinal: boolean },
  ): LoggedRoute | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#time += 1;
    if (status < 300) entry.endedAt ??= this.#time;
    // A refused attempt has no effect, and after a final refusal no other attempt with the key has one. After a 5xx, any may have.
    if (status >= 400 && status < 500) {
      entry.startTimes = isFinal ? [] : entry.startTimes.filter((time) => time !== startedAt);
    }
    return entry.route;
  }

  /**
   * The states that each subject may have: those of its calls that may have taken effect, except acknowledged ones that a later
   * acknowledged call has followed.
   */
  expected(): ExpectedEffect[] {
    const entries = [...this.#entries.values()].filter(({ startTimes }) => startTimes.length > 0);
    return [...Map.groupBy(entries, ({ subject }) => subject)].map(([subject, calls]) => {
      const succeeded = calls.filter(({ endedAt }) => endedAt !== null);
      const isOutdated = ({ endedAt }: Entry) =>
        endedAt !== null && succeeded.some(({ startTimes }) => Math.min(...startTimes) > endedAt);
      const states = new Set(calls.filter((entry) => !isOutdated(entry)).map(({ state }) => state));
      if (succeeded.length === 0) states.add(ABSENT);
      const { userId = 0, pollId = null } = calls[0] ?? {};
      return { userId, subject, pollId, states };
    });
  }
}
