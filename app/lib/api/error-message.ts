import { ERROR_MESSAGES } from '#shared/errors.ts';
import type { EngineErrorCode } from '#sync/client/types.ts';
import type { OpError } from '#sync/protocol/op.ts';
import { ApiError, codeOf } from './api-error.ts';

/** The words for what only this device knows of. */
const DEVICE_MESSAGES: Readonly<Record<EngineErrorCode | 'server_replaced', string>> = {
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  server_replaced: 'It was made for another server: this one has been set up anew since.',
  signed_out: 'You are not logged in any more. Log in and try again.',
  storage_full: 'This device has no room left to keep it. Free some space and try again.',
  outbox_full:
    'As many polls wait on this device as it may keep. Let some of them be posted, or discard some in the outbox.',
  poll_already_sent: 'It is being sent as it was. Wait for the answer before you change it.',
  time_limit: "This device's storage does not answer. Close the other tabs of this app and try again.",
  given_up: 'This device could not keep it. Please try again.',
};

const MESSAGES: Readonly<Partial<Record<string, string>>> = { ...ERROR_MESSAGES, ...DEVICE_MESSAGES };

/** Why something was refused: as the server put it, else the words for the code, else `otherwise`. */
export function refusalMessage({ code, message }: Omit<OpError, 'status'>, otherwise = ''): string {
  return (code !== 'server_replaced' && message) || (MESSAGES[code] ?? otherwise);
}

/** The words for anything that the engine or an online call throws; `otherwise` for what nobody foresaw. */
export function errorMessage(error: unknown, otherwise = 'An unexpected error occurred'): string {
  if (!(error instanceof ApiError)) return MESSAGES[codeOf(error) ?? ''] ?? otherwise;
  return refusalMessage({ code: error.code, message: error.serverMessage ?? '' }, error.message);
}
