import type { BatchInput, BatchResponse } from '#shared/batch.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { AppEnv } from './app-env.ts';
import { CallRouter } from './call-router.ts';
import { createKeyedMutex } from './limits/keyed-mutex.ts';

type HandleRequest = (request: Request, env: AppEnv['Bindings']) => Response | Promise<Response>;

/**
 * Runs the calls of a batch, each as if it had been sent separately: with its own session check, limits, receipt and log line.
 * Calls about the same poll run one after another, all others concurrently. `handle` is the handler of the whole application.
 */
export function batchRoutes(handle: HandleRequest): CallRouter {
  return new CallRouter().answer(sendBatch, async ({ c, json }) => {
    const { raw } = c.req;
    // Without Node's response, which is that of the batch: the calls must not set its headers.
    const env = { ...c.env, outgoing: undefined };
    // The calls of a batch that are about the same poll have the same path.
    const mutex = createKeyedMutex();
    const answers = json.requests.map((call) =>
      mutex.run(call.path, async () =>
        // The client has disconnected, and will send this call again.
        raw.signal.aborted ? null : toAnswer(await handle(toRequest(raw, call), env)),
      ),
    );
    return { answers: (await Promise.all(answers)).filter((answer) => answer !== null) };
  });
}

async function toAnswer(response: Response): Promise<BatchResponse['answers'][number]> {
  return {
    status: response.status,
    key: response.headers.get(IDEMPOTENCY_KEY_HEADER) ?? '',
    retryAfter: response.headers.get('Retry-After'),
    body: await response.json(),
  };
}

/** The request of one call, with the headers of the batch and its own key. */
function toRequest(batch: Request, { method, path, key, body }: BatchInput['requests'][number]): Request {
  const headers = new Headers(batch.headers);
  headers.delete('Content-Length');
  headers.set(IDEMPOTENCY_KEY_HEADER, key);
  return new Request(new URL(path, batch.url), { method, headers, body });
}
