import type { BatchAnswer, BatchInput } from '#shared/batch.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { AppEnv } from './app-env.ts';
import { CallRouter } from './call-router.ts';

type Answer = (request: Request, env: AppEnv['Bindings']) => Response | Promise<Response>;

/**
 * Runs the calls of a batch one after another, each as if it had been sent alone: with its own session check, limits,
 * receipt and log line. `answer` is the whole application.
 */
export function batchRoutes(answer: Answer): CallRouter {
  return new CallRouter().answer(sendBatch, async ({ c, json }) => {
    const answers: BatchAnswer['answers'] = [];
    for (const each of json.requests) {
      // The client is gone and will send the rest again.
      if (c.req.raw.signal.aborted) break;
      const response = await answer(toRequest(c.req.raw, each), c.env);
      answers.push({
        status: response.status,
        key: response.headers.get(IDEMPOTENCY_KEY_HEADER) ?? '',
        retryAfter: response.headers.get('Retry-After'),
        body: await response.json(),
      });
    }
    return { answers };
  });
}

/** The request of one call, with the headers of the batch and its own key. */
function toRequest(batch: Request, { method, path, key, body }: BatchInput['requests'][number]): Request {
  const headers = new Headers(batch.headers);
  headers.delete('Content-Length');
  headers.set(IDEMPOTENCY_KEY_HEADER, key);
  return new Request(new URL(path, batch.url), { method, headers, body });
}
