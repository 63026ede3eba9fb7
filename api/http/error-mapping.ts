import { findDatabaseError, isConnectionLost } from '#api/db/database-error.ts';
import { AppError } from '#api/errors.ts';
import type { ErrorBody } from '#shared/errors.ts';
import type { AppContext } from './app-env.ts';
import { logOf } from './logging/log.ts';
import { reportRefusal } from './logging/security-events.ts';

const RETRY_AFTER_OUTAGE_S = 2;

/**
 * Error codes of the database, its driver or the system for an outage, a timeout or exhausted resources, apart from those of a
 * lost connection (`isConnectionLost`).
 */
const OUTAGE_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  '08P01', // of PgBouncer: no connection to the server
  '25006', // read-only, as during a failover
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections
  '55P03', // lock timeout
  '57014', // statement timeout
  '57P03', // starting up or shutting down
  '53100', // disk full
  '53200', // out of memory
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
]);

/** The database cannot store a text, for example because of a NUL character. */
const BAD_TEXT_CODES = new Set(['22021', '22P05']);

/** A row refers to another row that does not exist. */
const FOREIGN_KEY_CODE = '23503';
/** Matches the names of foreign keys that refer to a user. */
const KEY_TO_USER = /_(?:user|admin)_id_users_id_fk$/;

/** Turns an error that was thrown anywhere in the application into a response. */
export function respondWithError(error: Error, c: AppContext): Response {
  const appError = toAppError(error);
  c.set('errorCode', appError.code);
  if (appError.status >= 500) logOf(c).error({ err: error }, appError.message);
  reportRefusal(c, appError.code);
  if (appError.retryAfterSeconds !== undefined) c.header('Retry-After', String(appError.retryAfterSeconds));
  const body: ErrorBody = {
    message: appError.message,
    code: appError.code,
    requestId: c.var.requestId,
    ...(appError.ticket === undefined ? {} : { ticket: appError.ticket }),
    ...(appError.issues === undefined ? {} : { issues: [...appError.issues] }),
  };
  return c.json(body, appError.status);
}

/** Any error as an `AppError`. Unknown errors become `internal`, without their message. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, syscall, constraint } = findDatabaseError(error);
  // ENOENT: the socket of the embedded database is missing.
  if (isConnectionLost(error) || OUTAGE_CODES.has(code) || (code === 'ENOENT' && syscall === 'connect')) {
    return new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_OUTAGE_S, cause: error });
  }
  // The account was deleted during the request.
  if (code === FOREIGN_KEY_CODE && KEY_TO_USER.test(constraint)) {
    return new AppError('unauthenticated', { cause: error });
  }
  if (BAD_TEXT_CODES.has(code)) return new AppError('invalid_input', { cause: error });
  return new AppError('internal', { cause: error });
}
