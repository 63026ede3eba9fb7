import * as z from 'zod/mini';

/** The key under which a call can be repeated. The response has the same key, which proves that the API has sent it. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
/** The id of the user for whom a client makes a call. The server rejects the call if another user is logged in. */
export const EXPECTED_USER_HEADER = 'X-Expected-User';
/** The server epoch (see `userSchema`) of the client's cached data; sent together with the expected user. */
export const EXPECTED_EPOCH_HEADER = 'X-Expected-Epoch';

/**
 * A cookie that the server sets with its first response to `GET /api/user` for a logged-in user. It shows only that somebody
 * has used this browser while logged in: if IndexedDB is empty, the browser has evicted it. Read by public/early.js, too.
 */
export const DEVICE_COOKIE = 'device';

/**
 * A cookie that the server sets and deletes together with the session cookie, which scripts cannot read. Read by
 * public/early.js, too.
 */
export const LOGGED_IN_COOKIE = 'logged_in';

/** A cookie set by the client: the number of changes in the outbox, and their user. Survives the eviction of IndexedDB. */
export const WAITING_COOKIE = 'waiting';

/**
 * The server-set copy of the waiting cookie, read if the client's own is missing: Safari deletes cookies set by scripts after
 * seven days, but not those set by servers. It has its own name because a late response could otherwise overwrite a newer
 * count.
 */
export const WAITING_COPY_COOKIE = 'waiting_copy';

/** The longest lifetime of cookies that browsers accept (400 days), in seconds. */
export const COOKIE_MAX_AGE_S = 400 * 86_400;

/** Formats the value of the waiting cookies: `<userId>.<count>`. */
export function formatOutboxCount(userId: number, count: number): string {
  return `${userId}.${count}`;
}

/** Parses the value of the waiting cookies; null if it is malformed. */
export function parseOutboxCount(text: string): { userId: number; count: number } | null {
  const match = /^(\d{1,10})\.(\d{1,6})$/.exec(text);
  return match === null ? null : { userId: Number(match[1]), count: Number(match[2]) };
}

export const APP_ID = 'this-or-that';

/** Response of `GET /api/health`. Any other body, for example from a captive portal, counts as a failure. */
export const healthSchema = z.object({
  status: z.literal('ok'),
  app: z.literal(APP_ID),
  version: z.string(),
});

export const pollIdSchema = z.uuid();

/** Whether PostgreSQL can store a text, or search for it: it has neither NUL characters nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export const storableText = z.refine<string>(isStorable, 'Contains characters that cannot be stored');

/** Control characters except white space and NUL (see `storableText`); bidirectional embeddings, overrides and isolates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters
const UNWANTED = /[\u0001-\u0008\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
/** A visible character: neither ignorable by default (such as zero-width characters) nor blank. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cf}\u2800]/u;

/**
 * Removes unwanted characters and surrounding white space, but not the joiners in emoji. A text without visible characters
 * becomes empty. A text with a NUL is only trimmed, so that a later check rejects it.
 */
export const cleanText = z.overwrite<string>((text) => {
  if (text.includes('\0')) return text.trim();
  return VISIBLE.test(text) ? text.replaceAll(UNWANTED, '').trim() : '';
});

/** Schema of a UUID path parameter. `notFound`: the message for a malformed UUID. */
export const uuidParamsSchema = (notFound: string) =>
  z.object({ id: z.uuid(notFound).check(z.toLowerCase()) });

export const idempotencyKeySchema = z.uuid();

/** An integer query parameter: clamped to the range, `fallback` if absent, an error if it is not a whole number. */
export function clampedIntParam(options: { min: number; max: number; fallback: number }) {
  return z.pipe(
    z.optional(z.string().check(z.regex(/^-?\d+$/, 'Must be a whole number'))),
    z.transform((text) =>
      text === undefined ? options.fallback : Math.min(options.max, Math.max(options.min, Number(text))),
    ),
  );
}
