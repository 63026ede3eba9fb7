import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { AppContext } from './app-env.ts';
import type { Step } from './before.ts';

/**
 * Sets a header of whatever response the request will get, unless that sets another value. `name` in lower case. Not in Hono's
 * `Headers`, if Node writes the response: with any header there, all headers of the response are copied and validated twice.
 */
export function setDefaultHeader(c: AppContext, name: string, value: string): void {
  const headers = c.env?.outgoing?.defaultHeaders;
  if (headers === undefined) c.header(name, value);
  else headers[name] = value;
}

/** Keeps responses out of every cache unless the handler sets another `Cache-Control`. */
export const noStore: Step = (c) => setDefaultHeader(c, 'cache-control', 'no-store');

/** Echoes the idempotency key on every response, errors included: a device accepts no response without it. */
export const echoKey: Step = (c) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) setDefaultHeader(c, IDEMPOTENCY_KEY_HEADER.toLowerCase(), key);
};
