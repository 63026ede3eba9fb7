import { FolderInUseError } from './db/folder-lock.ts';
import { OutdatedPostgresError } from './db/migrate.ts';
import { EnvError } from './env.ts';
import { OwnerNameTakenError } from './features/auth/ensure-owner.ts';

const PLAIN_ERRORS = [EnvError, OwnerNameTakenError, OutdatedPostgresError];

/** What kept the server from starting and what to do about it: one line, save for what nobody foresaw. */
export function explainStartError(error: unknown): string {
  if (!(error instanceof Error)) return `The server could not start: ${String(error)}`;
  if (error instanceof FolderInUseError) {
    return `${error.message} Stop it first, or set DATA_DIR to another folder.`;
  }
  if (PLAIN_ERRORS.some((known) => error instanceof known)) return error.message;
  return explainCode(error) ?? `The server could not start: ${error.stack ?? error.message}`;
}

function explainCode(error: Error & { code?: unknown; syscall?: unknown; port?: unknown }): string | null {
  const isListening = error.syscall === 'listen' || error.syscall === 'bind';
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${error.port} is in use. Stop what uses it, or set PORT to another number.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return isListening || error.syscall === undefined
        ? 'HOST is not an address of this machine.'
        : 'The host of DATABASE_URL is not known. Check its name.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
    case 'ENOSPC':
      return isListening
        ? `Port ${error.port} needs more rights. Set PORT to a number above 1023.`
        : `DATA_DIR cannot be written (${error.code}). Make the folder writable, or set DATA_DIR to another.`;
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
    case 'CONNECT_TIMEOUT':
    case 'CONNECTION_CLOSED':
      return 'No PostgreSQL answers at DATABASE_URL. Start it, or check the address.';
    case '28P01':
    case '28000':
      return 'PostgreSQL refuses the user or the password in DATABASE_URL.';
    case '3D000':
      return 'The database named in DATABASE_URL does not exist. Create it first.';
    case '42501':
      return 'The user in DATABASE_URL may not create tables. Give it the right to.';
    default:
      return null;
  }
}
