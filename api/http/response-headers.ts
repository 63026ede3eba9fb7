import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { AppContext } from './app-env.ts';
import type { Step } from './before.ts';

/**
 * Sets a header of the response to this request, unless the response sets another value. `name`: in lower case. Node's response
 * has its own default headers: a header set with Hono would cause all headers to be copied and validated twice.
 */
export function setDefaultHeader(c: AppContext, name: string, value: string): void {
  const headers = c.env?.outgoing?.defaultHeaders;
  if (headers === undefined) c.header(name, value);
  else headers[name] = value;
}

/** Keeps responses out of every cache unless the handler sets another `Cache-Control`. */
export const noStore: Step = (c) => setDefaultHeader(c, 'cache-control', 'no-store');

/** Returns the key of a request with its response, also with an error: a device takes a response without it for one of a proxy. */
export const echoKey: Step = (c) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) setDefaultHeader(c, IDEMPOTENCY_KEY_HEADER.toLowerCase(), key);
};
