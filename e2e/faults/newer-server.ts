import type { Socket, SocketEvents } from '#sync/client/capabilities.ts';
import type { Happenings } from './happenings.ts';
import type { Answer } from './proxy.ts';

/** A server that is one release ahead of the devices. */
export type NewerServer = {
  /** Every answer has fields that no release has. */
  isOn: boolean;
  /** How often a known value is replaced by one that is not, from 0 to 1. */
  share: number;
  /** Whether it takes votes under another address than any release knows. */
  hasMovedVotes: boolean;
};

/** Refusals that a newer server may have other codes for. */
const REPLACED_CODES = new Set([
  'poll_closed',
  'already_voted',
  'own_poll',
  'not_voted',
  'change_limit',
  'own_account',
  'insufficient_points',
]);

/** Makes an answer one of a newer server. `random` gives a number from 0 up to 1. */
export function asFromNewerServer(
  answer: Answer,
  { isOn, share }: NewerServer,
  random: () => number,
  happenings: Happenings,
): Answer {
  const type = answer.headers['content-type'] ?? '';
  if (!isOn || !type.includes('application/json') || answer.body.length === 0) return answer;
  happenings.note('an answer came from a newer server');
  const isOdd = random() < share;

  function extend(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(extend);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => [name, extend(field)]);
    const extended: Record<string, unknown> = Object.fromEntries(fields);
    if (isOdd && 'responsesWanted' in extended) {
      extended.status = 'paused';
      happenings.note('an unknown poll status came');
    }
    // Refusals are rare: each of them has a new code while anything is odd.
    if (share > 0 && typeof extended.code === 'string' && REPLACED_CODES.has(extended.code)) {
      extended.code = 'weather';
      happenings.note('an unknown error code came');
    }
    return { ...extended, addedLater: { weather: ['sunny', 1] } };
  }

  const body = Buffer.from(JSON.stringify(extend(JSON.parse(answer.body.toString()))));
  const { etag, 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
  return {
    ...answer,
    // What any answer has replaced by chance must not be what a later one says it still is.
    headers: {
      ...headers,
      ...(etag === undefined || share > 0 ? {} : { etag }),
      'content-length': `${body.length}`,
    },
    body,
  };
}

/** What a newer server says over a socket: news that no release knows, and known ones with fields that none knows. */
const UNKNOWN_NEWS = [
  { type: 'weather', sky: ['sunny', 1] },
  { type: 'poll.created', id: '019352aa-0000-7000-8000-0000000000ff', addedLater: true },
  { type: 'user.points', addedLater: true },
];

/** A socket to a newer server. It is open at once, says things that nobody knows, and answers pings. */
export function openNewerSocket(events: SocketEvents, happenings: Happenings): Socket {
  const say = (message: object) => events.received(JSON.stringify(message));
  queueMicrotask(() => {
    events.opened();
    happenings.note('an unknown message came over a socket');
    for (const news of UNKNOWN_NEWS) say(news);
    events.received('no JSON at all');
  });
  return {
    send(text) {
      const { timestamp }: { timestamp: number } = JSON.parse(text);
      queueMicrotask(() => say({ type: 'pong', timestamp, serverTime: Date.now(), addedLater: true }));
    },
    close() {},
  };
}
