import { type BatchInput, batchAnswerSchema } from '#shared/batch.ts';
import { errorBodySchema } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import {
  NetworkFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '#sync/client/types.ts';

/** Statuses of the API's own refusals that concern every call alike: session, actor, limits, an outage. */
const REFUSALS_OF_ALL = new Set([401, 409, 429, 503]);

/** Sends the requests of several ops as one. */
export type Batch = {
  /** Waits until each op has been sent or withdrawn; answers as if the request had been sent alone. */
  transport: Transport;
  /** One op fewer is sent. */
  withdraw(): void;
};

/** A batch of `size` ops, whose requests are JSON and come from the same user for the same server. */
export function createBatch(transport: Transport, size: number): Batch {
  const requests: TransportRequest[] = [];
  let missing = size;
  let complete = () => {};
  const isComplete = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const answers = isComplete.then(() => exchange(transport, requests));
  // Whoever waits for an answer hears of it; with all ops withdrawn nobody does.
  answers.catch(() => {});

  function arrive(): void {
    missing -= 1;
    if (missing === 0) complete();
  }

  return {
    async transport(request) {
      const nth = requests.push(request) - 1;
      arrive();
      const answer = (await answers)[nth] ?? null;
      if (answer === null) throw new NetworkFailure('No answer to this call of a batch');
      return answer;
    },
    withdraw: arrive,
  };
}

async function exchange(
  transport: Transport,
  requests: readonly TransportRequest[],
): Promise<(TransportAnswer | null)[]> {
  const [first] = requests;
  if (first === undefined) return [];
  if (requests.length === 1) return [await transport(first)];
  const { [IDEMPOTENCY_KEY_HEADER]: _, ...headers } = first.headers;
  const body = JSON.stringify({ requests: requests.map(toPart) } satisfies BatchInput);
  const answer = await transport({ ...first, method: sendBatch.method, path: sendBatch.path, headers, body });

  const parsed = batchAnswerSchema.safeParse(answer.body);
  if (answer.status === 200 && parsed.success && parsed.data.answers.length === requests.length) {
    return parsed.data.answers.map((part) => {
      const { headers } = withKey(answer, part.key);
      if (part.retryAfter !== null) headers.set('Retry-After', part.retryAfter);
      return { status: part.status, headers, body: part.body };
    });
  }
  // An earlier server knows no batches.
  if (answer.status === 404 && errorBodySchema.safeParse(answer.body).success) {
    return sendOneByOne(transport, requests);
  }
  // A refusal of the whole batch is the answer to each of its calls.
  const isOurs = REFUSALS_OF_ALL.has(answer.status) && errorBodySchema.safeParse(answer.body).success;
  return requests.map((request) => (isOurs ? withKey(answer, keyOf(request)) : answer));
}

/** Sends no more once the server is in trouble or refuses whatever comes: what is left counts as not answered. */
async function sendOneByOne(
  transport: Transport,
  requests: readonly TransportRequest[],
): Promise<(TransportAnswer | null)[]> {
  const answers: (TransportAnswer | null)[] = [];
  for (const request of requests) {
    const answer = await transport(request).catch(() => null);
    answers.push(answer);
    if (answer === null || answer.status >= 500 || answer.status === 401 || answer.status === 429) break;
  }
  return requests.map((_, nth) => answers[nth] ?? null);
}

function withKey(answer: TransportAnswer, key: string): TransportAnswer {
  const headers = new Headers(answer.headers);
  headers.set(IDEMPOTENCY_KEY_HEADER, key);
  return { ...answer, headers };
}

const keyOf = ({ headers }: TransportRequest) => headers[IDEMPOTENCY_KEY_HEADER] ?? '';

function toPart(request: TransportRequest): BatchInput['requests'][number] {
  const { method, path, body } = request;
  return { method: method === 'PUT' ? 'PUT' : 'POST', path, key: keyOf(request), body: String(body) };
}
