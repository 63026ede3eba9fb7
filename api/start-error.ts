import { findDatabaseError } from './db/database-error.ts';
import type { Env } from './env.ts';
import { ExplainedError } from './errors.ts';

/**
 * A part of the start: the same error code of the system means something else in each. `direct database`: the work that uses the
 * address in DATABASE_DIRECT_URL.
 */
type Stage = 'database' | 'direct database' | 'listening';

/** Runs `work`, and throws its errors as `ExplainedError` if they have an explanation in this stage. */
export async function inStage<Result>(stage: Stage, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const explanation = error instanceof ExplainedError ? null : explainIn(stage, error);
    throw explanation === null ? error : new ExplainedError(explanation, error);
  }
}

/** The stage in which the database is migrated and opened. */
export function openingStage({ databaseUrl, databaseDirectUrl }: Env): Stage {
  return databaseDirectUrl === databaseUrl ? 'database' : 'direct database';
}

/**
 * Why the server could not start, or a command failed, and what to do about it, in one line; unexpected errors with their stack,
 * after the sentence `failure`.
 */
export function explainStartError(error: unknown, failure = 'The server could not start'): string {
  if (error instanceof ExplainedError) return error.message;
  return `${failure}: ${error instanceof Error ? error.stack : error}`;
}

function explainIn(stage: Stage, error: unknown): string | null {
  const { code } = findDatabaseError(error);
  if (stage === 'database') return DATABASE_EXPLANATIONS[code] ?? null;
  if (stage === 'direct database') {
    return DATABASE_EXPLANATIONS[code]?.replace('DATABASE_URL', 'DATABASE_DIRECT_URL') ?? null;
  }
  if (code === 'EADDRINUSE' && error instanceof Error && 'port' in error) {
    return `Port ${error.port} is in use. Stop what uses it, or set PORT to another number.`;
  }
  return LISTEN_EXPLANATIONS[code] ?? null;
}

const NO_SUCH_ADDRESS = 'HOST is not an address of this machine.';
const LISTEN_EXPLANATIONS: Readonly<Record<string, string>> = {
  EACCES: 'The port needs more rights. Set PORT to a number above 1023.',
  EADDRNOTAVAIL: NO_SUCH_ADDRESS,
  ENOTFOUND: NO_SUCH_ADDRESS,
  EAI_AGAIN: NO_SUCH_ADDRESS,
};

const NO_ANSWER = 'No PostgreSQL answers at DATABASE_URL. Start it, or check the address.';
const UNKNOWN_HOST = 'The host in DATABASE_URL is not known. Check its name.';
const WRONG_LOGIN = 'PostgreSQL refuses the user or the password in DATABASE_URL.';
const DATABASE_EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: NO_ANSWER,
  ECONNRESET: NO_ANSWER,
  EHOSTUNREACH: NO_ANSWER,
  ENETUNREACH: NO_ANSWER,
  ETIMEDOUT: NO_ANSWER,
  CONNECT_TIMEOUT: NO_ANSWER,
  CONNECTION_CLOSED: NO_ANSWER,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  '28P01': WRONG_LOGIN,
  '28000': WRONG_LOGIN,
  '3D000': 'The database named in DATABASE_URL does not exist. Create it first.',
  '42501': 'The user in DATABASE_URL may not create tables. Give it the right to.',
  '53300': 'PostgreSQL has no free connection. Close others, or raise its max_connections.',
  '57P03': 'PostgreSQL is starting up or shutting down. Try again in a moment.',
};
