import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** The server's log: one JSON object a line. Errors are told without what somebody has typed. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null, serializers: { err: loggedError } }, destination);
}

/**
 * Drizzle puts the parameters of a query into its message, and PostgreSQL quotes values in its own and in its details:
 * of such errors only what names no value is told.
 */
function loggedError(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'PostgresError') return ofDatabase(cause);
    if ('query' in cause && 'params' in cause) {
      return cause.cause instanceof Error ? loggedError(cause.cause) : ofDatabase(cause);
    }
  }
  return error instanceof Error ? stdSerializers.err(error) : error;
}

function ofDatabase(error: Error): Record<string, unknown> {
  const fields = Object.entries(error).filter(([key]) => DATABASE_FIELDS.has(key));
  // Each frame is a line of its own; the lines before them are the message again.
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
