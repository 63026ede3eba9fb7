import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { Step } from './before.ts';

/** Keeps responses out of every cache unless the handler sets another `Cache-Control`. */
export const noStore: Step = (c) => c.header('Cache-Control', 'no-store');

/** Echoes the idempotency key on every response, errors included: a device accepts no response without it. */
export const echoKey: Step = (c) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) c.header(IDEMPOTENCY_KEY_HEADER, key);
};
