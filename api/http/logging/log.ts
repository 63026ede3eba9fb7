import { randomUUID } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import { setDefaultHeader } from '#api/http/response-headers.ts';
import { checkUsername } from '#shared/accounts/contract.ts';
import { blockUser } from '#shared/reports/contract.ts';

/** The server's log, one JSON object a line. Logged errors contain no user input. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null, serializers: { err: loggedError } }, destination);
}

/** Drizzle's messages contain query parameters, PostgreSQL's messages and details quote values: both are left out. */
function loggedError(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'PostgresError') return databaseErrorFields(cause);
    if ('query' in cause && 'params' in cause) {
      return cause.cause instanceof Error ? loggedError(cause.cause) : databaseErrorFields(cause);
    }
  }
  return error instanceof Error ? stdSerializers.err(error) : error;
}

function databaseErrorFields(error: Error): Record<string, unknown> {
  const fields = Object.entries(error).filter(([key]) => DATABASE_FIELDS.has(key));
  // Only the stack frames: the message before them may quote values.
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { type: error.constructor.name, ...Object.fromEntries(fields), stack: frames?.join('\n') };
}

const DATABASE_FIELDS: ReadonlySet<string> = new Set([
  'code',
  'severity',
  'schema_name',
  'table_name',
  'column_name',
  'constraint_name',
  'routine',
]);

/** The beginnings of paths that end with a username. */
const USERNAME_PATH_PREFIXES = [checkUsername, blockUser].map(({ path }) => path.replace('{username}', ''));

/** Longer than any path of this API. A client can send a path of up to 20 kB. */
const PATH_MAX_LENGTH = 200;

/**
 * A path as it is logged: truncated to `PATH_MAX_LENGTH` characters, and with `{username}` in place of a typed username, since
 * users also type emails and passwords there.
 */
export function loggedPath(path: string): string {
  const start = USERNAME_PATH_PREFIXES.find((prefix) => path.startsWith(prefix));
  return start === undefined ? path.slice(0, PATH_MAX_LENGTH) : `${start}{username}`;
}

/** The log of a request, which adds the request's id to each line. */
export function logOf(c: AppContext): Logger {
  return c.get('log').child({ requestId: c.get('requestId') });
}

/**
 * Gives each request an id (`X-Request-Id`) and logs a line for it. The query is left out: it may contain a token. Successful
 * requests outside the API, such as for images and pages of share links, are logged at `debug`, all others at `info`.
 */
export function requestLog(log: Logger) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const startedMs = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    c.set('log', log);
    setDefaultHeader(c, 'x-request-id', requestId);
    await next();
    const isSuccessOutsideApi = !c.req.path.startsWith('/api/') && c.res.status < 400;
    log[isSuccessOutsideApi ? 'debug' : 'info'](
      {
        requestId,
        method: c.req.method,
        path: loggedPath(c.req.path),
        status: c.res.status,
        ms: Math.round(performance.now() - startedMs),
        userId: c.get('user')?.id,
      },
      'request',
    );
  });
}
