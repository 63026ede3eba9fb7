import { type BatchInput, batchResponseSchema } from '#shared/batch.ts';
import { errorBodySchema } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { Transport, TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';

/** The statuses of API errors that concern every call of a batch: no session, another user, a rate limit, an outage. */
const COMMON_ERROR_STATUS = new Set([401, 409, 429, 503]);

/** Sends the requests of several ops in one request. */
export type Batch = {
  /**
   * Waits until every op has passed its request or left the batch. Resolves with the response as if the request had been sent
   * individually.
   */
  transport: Transport;
  /** Removes one op from the batch, which then no longer waits for its request. */
  leave(): void;
};

/** Creates a batch for `size` ops of the same user for the same server. The requests of several ops must be JSON. */
export function createBatch(transport: Transport, size: number): Batch {
  const requests: TransportRequest[] = [];
  let missingCount = size;
  let complete = () => {};
  const completion = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const responses = completion.then(() => sendRequests(transport, requests));

  function countOp(): void {
    missingCount -= 1;
    if (missingCount === 0) complete();
  }

  return {
    async transport(request) {
      const index = requests.push(request) - 1;
      countOp();
      const response = (await responses)[index] ?? null;
      if (response === null) throw new NetworkFailure('No response to this call of a batch');
      return response;
    },
    leave: countOp,
  };
}

/** Sends one request as it is, several in a batch. The responses are in request order; null if there was none. */
async function sendRequests(
  transport: Transport,
  requests: readonly TransportRequest[],
): Promise<(TransportResponse | null)[]> {
  const [firstRequest] = requests;
  if (firstRequest === undefined) return [];
  if (requests.length === 1) return [await transport(firstRequest)];
  const { [IDEMPOTENCY_KEY_HEADER]: _, ...commonHeaders } = firstRequest.headers;
  const body = JSON.stringify({ requests: requests.map(toPart) } satisfies BatchInput);
  const response = await transport({
    ...firstRequest,
    method: sendBatch.method,
    path: sendBatch.path,
    headers: commonHeaders,
    body,
  });

  const parsed = batchResponseSchema.safeParse(response.body);
  if (response.status === 200 && parsed.success && parsed.data.answers.length === requests.length) {
    return parsed.data.answers.map((part) => {
      const { headers } = withKey(response, part.key);
      if (part.retryAfter !== null) headers.set('Retry-After', part.retryAfter);
      return { status: part.status, headers, body: part.body };
    });
  }
  // An earlier version of the server does not support batches.
  if (response.status === 404 && errorBodySchema.safeParse(response.body).success) {
    return sendOneByOne(transport, requests);
  }
  return requests.map((request) => commonResponse(response, request));
}

/**
 * Returns `response`, which concerns several requests, as the response to `request`. An error of the API gets the key of
 * `request`, without which the error would not count.
 */
function commonResponse(response: TransportResponse, request: TransportRequest): TransportResponse {
  const isFromApi =
    COMMON_ERROR_STATUS.has(response.status) && errorBodySchema.safeParse(response.body).success;
  return isFromApi ? withKey(response, keyOf(request)) : response;
}

/**
 * Sends the requests one by one. Stops at a failure that concerns all of them (no response, an outage, the session, a rate
 * limit). The remaining requests have no response (null) or, after a 401, the same response.
 */
async function sendOneByOne(
  transport: Transport,
  requests: readonly TransportRequest[],
): Promise<(TransportResponse | null)[]> {
  const responses: (TransportResponse | null)[] = [];
  for (const request of requests) {
    const response = await transport(request).catch(() => null);
    responses.push(response);
    if (response === null || response.status >= 500 || response.status === 401 || response.status === 429)
      break;
  }
  const last = responses.at(-1);
  const unsent = (request: TransportRequest) => (last?.status === 401 ? commonResponse(last, request) : null);
  return requests.map((request, index) => responses[index] ?? unsent(request));
}

function withKey(response: TransportResponse, key: string): TransportResponse {
  const headers = new Headers(response.headers);
  headers.set(IDEMPOTENCY_KEY_HEADER, key);
  return { ...response, headers };
}

const keyOf = ({ headers }: TransportRequest) => headers[IDEMPOTENCY_KEY_HEADER] ?? '';

function toPart(request: TransportRequest): BatchInput['requests'][number] {
  const { method, path, body } = request;
  // Only votes (POST) and their changes (PUT) are sent in batches.
  return { method: method === 'PUT' ? 'PUT' : 'POST', path, key: keyOf(request), body: String(body) };
}
