import { type BatchInput, type BatchResponse, batchResponseSchema } from '#shared/batch.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';

/** The keys of the ops that a request sends. */
export function keysOf({
  path,
  headers,
  body,
}: Pick<TransportRequest, 'path' | 'headers' | 'body'>): string[] {
  if (path === sendBatch.path) return batchedKeys(String(body));
  const key = headers[IDEMPOTENCY_KEY_HEADER];
  return key === undefined ? [] : [key];
}

/** The keys in the body of a batch, in order. */
export function batchedKeys(body: string): string[] {
  return batchedRequests(body).map(({ key }) => key);
}

/** The calls in the body of a batch, in order. */
export function batchedRequests(body: string): BatchInput['requests'] {
  const { requests }: BatchInput = JSON.parse(body);
  return requests;
}

/** The responses to the calls of a batch; none if the server refused the whole batch. */
export function batchedResponses(body: string): BatchResponse['answers'] {
  const { answers = [] }: Partial<BatchResponse> = JSON.parse(body);
  return answers;
}

/** Whether a response, or a part of the response to a batch, has a `Retry-After`. */
export function hasRetryAfter({ headers, body }: TransportResponse): boolean {
  const batch = batchResponseSchema.safeParse(body);
  const parts = batch.success ? batch.data.answers.map(({ retryAfter }) => retryAfter) : [];
  return [headers.get('Retry-After'), ...parts].some((seconds) => Number(seconds ?? 0) > 0);
}
