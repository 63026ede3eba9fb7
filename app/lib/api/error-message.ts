import { ERROR_MESSAGES } from '#shared/errors.ts';
import type { OpError } from '#sync/protocol/op.ts';
import { ApiError, codeOf } from './api-error.ts';

/** The words for what only the app knows of. */
const APP_MESSAGES: Readonly<Partial<Record<string, string>>> = {
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  server_replaced: 'It was made for another server: this one has been set up anew since.',
};

const CATALOGUE: Readonly<Partial<Record<string, string>>> = ERROR_MESSAGES;

/** Why something was refused: as the server put it, else the words for the code, else `otherwise`. */
export function refusalMessage({ code, message }: Omit<OpError, 'status'>, otherwise = ''): string {
  return APP_MESSAGES[code] ?? (message || (CATALOGUE[code] ?? otherwise));
}

/** The words for anything that an online call throws. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) {
    return refusalMessage({ code: error.code, message: error.serverMessage ?? '' }, error.message);
  }
  return APP_MESSAGES[codeOf(error) ?? ''] ?? 'An unexpected error occurred';
}
