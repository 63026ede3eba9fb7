import type { Socket, SocketEvents } from '#sync/client/capabilities.ts';
import type { EventCoverage } from './event-coverage.ts';
import type { ProxyResponse } from './proxy.ts';

/** Simulates a server that is one release ahead of the devices. */
export type NewerServer = {
  /** Whether the server is newer than the devices: all its responses then have unknown fields. */
  isOn: boolean;
  /** The share of responses with an unknown poll status, from 0 to 1. Above 0, refusals have unknown codes. */
  unknownShare: number;
  /** Whether the calls that send votes no longer exist. */
  lacksVoteCalls: boolean;
};

/** Refusals for which a newer server may have different codes. */
const REPLACED_CODES = new Set([
  'poll_closed',
  'already_voted',
  'own_poll',
  'not_voted',
  'change_limit',
  'own_account',
  'insufficient_points',
]);

/** Turns a response into that of a newer server. `random` returns a number from 0 to 1, exclusive. */
export function toNewerResponse(
  response: ProxyResponse,
  { isOn, unknownShare }: NewerServer,
  random: () => number,
  coverage: EventCoverage,
): ProxyResponse {
  const type = response.headers['content-type'] ?? '';
  if (!isOn || !type.includes('application/json') || response.body.length === 0) return response;
  coverage.record('a newer server responded');
  const hasUnknownStatus = random() < unknownShare;

  function extend(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(extend);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => [name, extend(field)]);
    const extended: Record<string, unknown> = Object.fromEntries(fields);
    if (hasUnknownStatus && 'responsesWanted' in extended) {
      extended.status = 'paused';
      coverage.record('a response had an unknown poll status');
    }
    // Refusals are so rare that all of them get an unknown code.
    if (unknownShare > 0 && typeof extended.code === 'string' && REPLACED_CODES.has(extended.code)) {
      extended.code = 'weather';
      coverage.record('a response had an unknown error code');
    }
    return { ...extended, addedLater: { weather: ['sunny', 1] } };
  }

  const body = Buffer.from(JSON.stringify(extend(JSON.parse(response.body.toString()))));
  const { etag, 'content-length': _, 'transfer-encoding': __, ...headers } = response.headers;
  return {
    ...response,
    // Without an ETag, because a later 304 would confirm values that were replaced at random.
    headers: {
      ...headers,
      ...(etag === undefined || unknownShare > 0 ? {} : { etag }),
      'content-length': `${body.length}`,
    },
    body,
  };
}

/** Messages of a newer server's socket: an unknown type, and known types with unknown fields. */
const UNKNOWN_MESSAGES = [
  { type: 'weather', sky: ['sunny', 1] },
  { type: 'poll.created', id: '019352aa-0000-7000-8000-0000000000ff', addedLater: true },
  { type: 'user.points', addedLater: true },
];

/** A socket of a newer server. It opens at once, sends unknown messages, and responds to pings. */
export function openNewerSocket(events: SocketEvents, coverage: EventCoverage): Socket {
  const send = (message: object) => events.received(JSON.stringify(message));
  queueMicrotask(() => {
    events.opened();
    coverage.record('a socket sent an unknown message');
    for (const message of UNKNOWN_MESSAGES) send(message);
    events.received('invalid JSON');
  });
  return {
    send(text) {
      const { timestamp }: { timestamp: number } = JSON.parse(text);
      queueMicrotask(() => send({ type: 'pong', timestamp, serverTime: Date.now(), addedLater: true }));
    },
    close() {},
  };
}
