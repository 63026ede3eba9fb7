/** What a driver's error says: a SQLSTATE or a code of the driver or the system, each '' when there is none. */
type DatabaseError = { code: string; constraint: string; syscall: string };

const NO_ERROR: DatabaseError = { code: '', constraint: '', syscall: '' };

/** The driver's error in `error` or what caused it: Drizzle wraps it in one of its own. */
export function findDatabaseError(error: unknown): DatabaseError {
  if (!(error instanceof Error)) return NO_ERROR;
  if (!('code' in error) || typeof error.code !== 'string') return findDatabaseError(error.cause);
  const constraint = 'constraint_name' in error ? String(error.constraint_name) : '';
  const syscall = 'syscall' in error ? String(error.syscall) : '';
  return { code: error.code, constraint, syscall };
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

/** Whether the connection of a query broke, which says nothing of the next one. */
export function isConnectionLost(error: unknown): boolean {
  return LOST_CONNECTION_CODES.has(findDatabaseError(error).code);
}
