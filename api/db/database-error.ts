/** `code` is a SQLSTATE or a code of the driver or the system. Absent values are ''. */
type DatabaseError = { code: string; constraint: string; syscall: string };

const NO_ERROR: DatabaseError = { code: '', constraint: '', syscall: '' };

/** The driver's error in `error` or its causes, since Drizzle wraps it. */
export function findDatabaseError(error: unknown): DatabaseError {
  if (!(error instanceof Error)) return NO_ERROR;
  if (!('code' in error) || typeof error.code !== 'string') return findDatabaseError(error.cause);
  const constraint = 'constraint_name' in error ? String(error.constraint_name) : '';
  const syscall = 'syscall' in error ? String(error.syscall) : '';
  return { code: error.code, constraint, syscall };
}

const UNIQUE_VIOLATION_CODE = '23505';

export function isUniqueViolation(error: unknown): boolean {
  return findDatabaseError(error).code === UNIQUE_VIOLATION_CODE;
}

const LOCK_TIMEOUT_CODE = '55P03';

/** Whether a statement has waited too long for a lock of another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return findDatabaseError(error).code === LOCK_TIMEOUT_CODE;
}

const LOST_CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  '57P01', // shut down by an administrator
  '57P02', // crash of another session
  '08000', // connection exception
  '08003', // connection does not exist
  '08006', // connection failure
]);

/** Whether a query failed because its connection was lost; the next one may succeed. */
export function isConnectionLost(error: unknown): boolean {
  return LOST_CONNECTION_CODES.has(findDatabaseError(error).code);
}

const READ_ONLY_CODE = '25006';

/** Whether a change failed because its transaction is read-only, as every transaction on a standby is. */
export function isReadOnly(error: unknown): boolean {
  return findDatabaseError(error).code === READ_ONLY_CODE;
}
