import * as z from 'zod/mini';

/** Request and answer headers of the calls that a device may queue. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const EXPECTED_USER_HEADER = 'X-Expected-User';
/** The epoch of the server (see `userSchema`) that the device's data comes from; sent next to the expected user. */
export const EXPECTED_EPOCH_HEADER = 'X-Expected-Epoch';

/**
 * A cookie that the server sets once a device has asked who is signed in. It tells nothing but that the app has been used
 * in this browser; with the app's storage gone, that means that the browser has removed it.
 */
export const DEVICE_COOKIE = 'device';

/** The cookie in which a device notes how many changes wait to be sent, and whose. */
export const WAITING_COOKIE = 'waiting';

/**
 * The server's copy of it, read where the device's own is gone: Safari lets go of a cookie that a script has set after seven
 * days, and keeps one that a server has set. Under the same name, an answer could put a number back that has changed since.
 */
export const WAITING_COPY_COOKIE = 'waiting_copy';

/** The longest that browsers keep a cookie, in seconds. */
export const COOKIE_KEPT_S = 400 * 86_400;

/** What the cookies hold. */
export function waitingText(userId: number, count: number): string {
  return `${userId}.${count}`;
}

/** Reads what the cookies hold; null for anything else. */
export function parseWaiting(text: string): { userId: number; count: number } | null {
  const match = /^(\d{1,10})\.(\d{1,6})$/.exec(text);
  return match === null ? null : { userId: Number(match[1]), count: Number(match[2]) };
}

export const APP_ID = 'this-or-that';

/** The answer of `GET /api/health`; anything else at that address (a captive portal, say) is a failure. */
export const healthSchema = z.object({
  status: z.literal('ok'),
  app: z.literal(APP_ID),
  version: z.string(),
});

export const pollIdSchema = z.uuid();

/** The id in the path of a call; `notFound` is what a person reads of one that cannot be. */
export const uuidParams = (notFound: string) => z.object({ id: z.uuid(notFound).check(z.toLowerCase()) });

export const idempotencyKeySchema = z.uuid();

/** A whole number in a query string: no number is an error, a number out of range is clamped. */
export function clampedInt(options: { min: number; max: number; fallback: number }) {
  return z.pipe(
    z.optional(z.string().check(z.regex(/^-?\d+$/, 'Must be a whole number'))),
    z.transform((text) =>
      text === undefined ? options.fallback : Math.min(options.max, Math.max(options.min, Number(text))),
    ),
  );
}

export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `path` with the parameters that are neither null nor undefined as its query string. */
export function withQuery(path: string, parameters: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
