import type { Call } from '#shared/contract.ts';
import { castVote, changeVote } from '#shared/polls/contract.ts';
import { blockUser, reportPoll, takeBackReport, unblockUser } from '#shared/reports/contract.ts';

/** A call with a key as a server gets it. */
export type KeyedCall = { key: string; userId: string; method: string; path: string; body: string };

const CALLS = {
  vote: castVote,
  change_vote: changeVote,
  report: reportPoll,
  take_back_report: takeBackReport,
  block: blockUser,
  unblock: unblockUser,
} satisfies Record<string, Call>;

/** A kind of call whose effect is logged, named as in its receipt. */
export type LoggedRoute = keyof typeof CALLS;

/** What is left of a report that was taken back, of a block that is over, and of what nobody ever asked for. */
export const NOTHING = 'nothing';

/** What a call leaves behind on the server: `subject` in `state`. */
type Effect = { route: LoggedRoute; userId: number; subject: string; pollId: string | null; state: string };

/** A call, with the times at which it may have taken effect. */
type Entry = Effect & {
  /** When each attempt began that may have had it. */
  begun: number[];
  /** When a server first said that it is done; null until then. */
  endedAt: number | null;
};

/** The states in which a subject may be; more than one where calls about it met, or one was never answered. */
export type ExpectedEffect = Pick<Effect, 'userId' | 'subject' | 'pollId'> & { states: ReadonlySet<string> };

export const voteOf = (userId: number, pollId: string) => `the vote of ${userId} on ${pollId}`;
export const reportOf = (userId: number, pollId: string) => `the report of ${userId} of ${pollId}`;
export const blockOf = (userId: number, username: string) =>
  `the block of ${username.toLowerCase()} by ${userId}`;

/** The state of a report or a block that is there. */
export const THERE = 'there';

const PATTERNS = Object.entries(CALLS).map(([route, { method, path }]) => ({
  route: route as LoggedRoute,
  method,
  path: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
}));

function effectOf({ method, path, body, ...call }: KeyedCall): Effect | null {
  const userId = Number(call.userId);
  for (const pattern of PATTERNS) {
    const about = method === pattern.method ? pattern.path.exec(path)?.[1] : undefined;
    if (about === undefined) continue;
    const { route } = pattern;
    switch (route) {
      case 'vote':
      case 'change_vote':
        return {
          route,
          userId,
          subject: voteOf(userId, about),
          pollId: about,
          state: String(JSON.parse(body).option),
        };
      case 'report':
      case 'take_back_report':
        return {
          route,
          userId,
          subject: reportOf(userId, about),
          pollId: about,
          state: route === 'report' ? THERE : NOTHING,
        };
      case 'block':
      case 'unblock':
        return {
          route,
          userId,
          subject: blockOf(userId, about),
          pollId: null,
          state: route === 'block' ? THERE : NOTHING,
        };
    }
  }
  return null;
}

/** What the servers were asked to change and when they said that it is done, as a proxy in front of them sees it. */
export class EffectLog {
  #time = 0;
  readonly #entries = new Map<string, Entry>();

  clear(): void {
    this.#entries.clear();
  }

  /** The server has gone back in time: it knows these keys and no others. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
  }

  /** A server is asked; returns the time of it. */
  begin(calls: readonly KeyedCall[]): number {
    this.#time += 1;
    for (const call of calls) {
      const effect = effectOf(call);
      if (effect === null) continue;
      const entry = this.#entries.get(call.key) ?? { ...effect, begun: [], endedAt: null };
      if (entry.endedAt === null) entry.begun.push(this.#time);
      this.#entries.set(call.key, entry);
    }
    return this.#time;
  }

  /** A server has answered what it was asked at `begunAt`. Returns the kind of the call, if it is logged. */
  end(
    key: string,
    begunAt: number,
    { status, isFinal }: { status: number; isFinal: boolean },
  ): LoggedRoute | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#time += 1;
    if (status < 300) entry.endedAt ??= this.#time;
    // A refusal has no effect, nor has a key that is refused for good; after a failure nobody knows.
    if (status >= 400 && status < 500)
      entry.begun = entry.begun.filter((time) => time !== begunAt && !isFinal);
    return entry.route;
  }

  /** What must be there in the end: of each subject what the last acknowledged call has made of it. */
  expected(): ExpectedEffect[] {
    const entries = [...this.#entries.values()].filter(({ begun }) => begun.length > 0);
    return [...Map.groupBy(entries, ({ subject }) => subject)].map(([subject, about]) => {
      const done = about.filter(({ endedAt }) => endedAt !== null);
      const isOutdated = ({ endedAt }: Entry) =>
        endedAt !== null && done.some(({ begun }) => Math.min(...begun) > endedAt);
      const states = new Set(about.filter((entry) => !isOutdated(entry)).map(({ state }) => state));
      if (done.length === 0) states.add(NOTHING);
      const { userId = 0, pollId = null } = about[0] ?? {};
      return { userId, subject, pollId, states };
    });
  }
}
