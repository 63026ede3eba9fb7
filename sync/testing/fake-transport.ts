import type { ErrorCode } from '#shared/errors.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import {
  NetworkFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '#sync/client/types.ts';

export type Reply = (
  request: TransportRequest,
) => TransportAnswer | 'lost' | Promise<TransportAnswer | 'lost'>;

/** A network that answers each request with the next of `replies` (the last one again and again). */
export function scriptedTransport(...replies: Reply[]): { transport: Transport; sent: TransportRequest[] } {
  const sent: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)];
    sent.push(request);
    const answer = reply === undefined ? 'lost' : await reply(request);
    if (answer === 'lost') throw new NetworkFailure('lost');
    return answer;
  };
  return { transport, sent };
}

/** The API's own JSON in answer to `request`, with its key echoed. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (request) => ({
    status,
    headers: new Headers({
      [IDEMPOTENCY_KEY_HEADER]: request.headers[IDEMPOTENCY_KEY_HEADER] ?? '',
      ...headers,
    }),
    body,
  });
}

/** The API's error answer with `code`. */
export function refusal(code: ErrorCode, headers: Record<string, string> = {}): Reply {
  return json(ERROR_STATUS[code], { message: `refused: ${code}`, code, requestId: 'r1' }, headers);
}

/** What a captive portal says to everything. */
export const captivePortal: Reply = () => ({
  status: 200,
  headers: new Headers({ 'Content-Type': 'text/html' }),
  body: null,
});

export const lost: Reply = () => 'lost';
