import type { Happenings } from './happenings.ts';
import type { Answer } from './proxy.ts';

/** Whether the engine takes poll states and error codes that it does not know for what they are. */
const UNKNOWN_VALUES_ARE_TOLERATED = false;

/** A server that is one release ahead of the devices. */
export type NewerServer = {
  /** Every answer has fields that no release has. */
  isOn: boolean;
  /** How often a known value is replaced by one that is not, from 0 to 1. */
  share: number;
};

/** Refusals that a newer server may have other codes for. */
const REPLACED_CODES = new Set(['poll_closed', 'already_voted', 'own_poll']);

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
  const isOdd = UNKNOWN_VALUES_ARE_TOLERATED && random() < share;

  function extend(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(extend);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => [name, extend(field)]);
    const extended: Record<string, unknown> = Object.fromEntries(fields);
    if (isOdd && 'responsesWanted' in extended) {
      extended.status = 'paused';
      happenings.note('an unknown poll status came');
    }
    if (isOdd && typeof extended.code === 'string' && REPLACED_CODES.has(extended.code)) {
      extended.code = 'weather';
      happenings.note('an unknown error code came');
    }
    return { ...extended, addedLater: { weather: ['sunny', 1] } };
  }

  const body = Buffer.from(JSON.stringify(extend(JSON.parse(answer.body.toString()))));
  const { etag, 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
  return {
    ...answer,
    // What was replaced by chance must not be what a later answer says it still is.
    headers: {
      ...headers,
      ...(etag === undefined || isOdd ? {} : { etag }),
      'content-length': `${body.length}`,
    },
    body,
  };
}
