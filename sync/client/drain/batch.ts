import { BATCH_PATH, type BatchInput, batchAnswerSchema } from '#shared/batch.ts';
import { errorBodySchema } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { Transport, TransportAnswer, TransportRequest } from '#sync/client/types.ts';

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
      return (await answers)[nth] as TransportAnswer;
    },
    withdraw: arrive,
  };
}

async function exchange(
  transport: Transport,
  requests: readonly TransportRequest[],
): Promise<TransportAnswer[]> {
  const [first] = requests;
  if (first === undefined) return [];
  if (requests.length === 1) return [await transport(first)];
  const { [IDEMPOTENCY_KEY_HEADER]: _, ...headers } = first.headers;
  const body = JSON.stringify({ requests: requests.map(toPart) } satisfies BatchInput);
  const answer = await transport({ ...first, method: 'POST', path: BATCH_PATH, headers, body });

  const parsed = batchAnswerSchema.safeParse(answer.body);
  if (answer.status === 200 && parsed.success && parsed.data.answers.length === requests.length) {
    return parsed.data.answers.map((part) => {
      const partHeaders = new Headers(answer.headers);
      partHeaders.set(IDEMPOTENCY_KEY_HEADER, part.key);
      if (part.retryAfter !== null) partHeaders.set('Retry-After', part.retryAfter);
      return { status: part.status, headers: partHeaders, body: part.body };
    });
  }
  // An earlier server knows no batches.
  if (answer.status === 404 && errorBodySchema.safeParse(answer.body).success) {
    const answers: TransportAnswer[] = [];
    for (const request of requests) answers.push(await transport(request));
    return answers;
  }
  return requests.map(() => answer);
}

function toPart({ method, path, headers, body }: TransportRequest): BatchInput['requests'][number] {
  return {
    method: method === 'PUT' ? 'PUT' : 'POST',
    path,
    key: headers[IDEMPOTENCY_KEY_HEADER] ?? '',
    body: String(body),
  };
}
