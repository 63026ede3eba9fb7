import type { BatchInput, BatchResponse } from '#shared/batch.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { Transport, TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';

/** How the server replies to a request; `no_response` if no response arrives. */
export type Reply = (
  request: TransportRequest,
) => TransportResponse | 'no_response' | Promise<TransportResponse | 'no_response'>;

/**
 * Creates a transport that responds to each request with the next of `replies`, and at the end always with the last of them.
 * The calls of a batch get separate replies and are listed separately in `sent`; `exchanges` lists the actual requests.
 */
export function scriptedTransport(...replies: Reply[]): {
  transport: Transport;
  sent: TransportRequest[];
  exchanges: TransportRequest[];
} {
  const sent: TransportRequest[] = [];
  const exchanges: TransportRequest[] = [];
  const answer = async (request: TransportRequest): Promise<TransportResponse> => {
    const reply = replies[Math.min(sent.length, replies.length - 1)];
    sent.push(request);
    const response = reply === undefined ? 'no_response' : await reply(request);
    if (response === 'no_response') throw new NetworkFailure('no response');
    return response;
  };
  const transport: Transport = (request) => {
    exchanges.push(request);
    return request.path === sendBatch.path ? answerBatch(request, answer) : answer(request);
  };
  return { transport, sent, exchanges };
}

/** Responds to a batch as the server does. `answer` responds to each of its calls. */
export async function answerBatch(batch: TransportRequest, answer: Transport): Promise<TransportResponse> {
  const { requests }: BatchInput = JSON.parse(String(batch.body));
  const answers: BatchResponse['answers'] = [];
  for (const { method, path, key, body } of requests) {
    const headers = { ...batch.headers, [IDEMPOTENCY_KEY_HEADER]: key };
    const part = await answer({ ...batch, method, path, headers, body });
    answers.push({
      status: part.status,
      key: part.headers.get(IDEMPOTENCY_KEY_HEADER) ?? '',
      retryAfter: part.headers.get('Retry-After'),
      body: part.body,
    });
  }
  return { status: 200, headers: new Headers(), body: { answers } };
}

/** A reply with a JSON response of the API, which echoes the key of the request. */
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

/** A reply with an error of the API. */
export function errorResponse(code: ErrorCode, headers: Record<string, string> = {}): Reply {
  return json(ERROR_STATUS[code], { message: `error ${code}`, code, requestId: 'r1' }, headers);
}

/** The reply of a captive portal to any request. */
export const captivePortal: Reply = () => ({
  status: 200,
  headers: new Headers({ 'Content-Type': 'text/html' }),
  body: null,
});

/** The reply of a server that cannot be reached. */
export const noResponse: Reply = () => 'no_response';
