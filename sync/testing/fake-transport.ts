import type { BatchInput, BatchResponse } from '#shared/batch.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { Transport, TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';

/** How the server replies to a request; `no_response` if none arrives. */
export type Reply = (
  request: TransportRequest,
) => TransportResponse | 'no_response' | Promise<TransportResponse | 'no_response'>;

/**
 * A network that answers each request with the next of `replies`, and then always with the last one. The calls of a batch are
 * answered and listed in `sent` one by one; `exchanges` lists the actual requests.
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

/** Answers a batch as the server does: its calls one after another. */
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

/** A JSON response of the API, which echoes the key of the request. */
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

/** An error response of the API with `code`. */
export function errorResponse(code: ErrorCode, headers: Record<string, string> = {}): Reply {
  return json(ERROR_STATUS[code], { message: `error ${code}`, code, requestId: 'r1' }, headers);
}

/** The response of a captive portal to any request. */
export const captivePortal: Reply = () => ({
  status: 200,
  headers: new Headers({ 'Content-Type': 'text/html' }),
  body: null,
});

/** No response arrives. */
export const noResponse: Reply = () => 'no_response';
