import { ERROR_MESSAGES } from '#shared/errors.ts';
import type { EngineErrorCode } from '#sync/client/engine-errors.ts';
import type { OpError } from '#sync/protocol/op.ts';
import { ApiError, codeOf } from './api-error.ts';

/** Messages for errors that occur on the device only. */
const DEVICE_MESSAGES: Readonly<Record<EngineErrorCode | 'server_replaced' | 'storage_closed', string>> = {
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  server_replaced: 'The server has been replaced since you made this change.',
  logged_out: 'You are no longer logged in. Log in and try again.',
  storage_full: 'This device has no space left to store it. Free some space and try again.',
  outbox_full:
    'Too many polls are waiting on this device. Wait until some are posted, or discard some in the outbox.',
  poll_already_sent: 'This poll is already being sent. Wait for the response before you change it.',
  browser_timeout: "This device's storage is not responding. Close the other tabs of this app and try again.",
  storage_closed: 'This device could not open its storage. Close the other tabs of this app and try again.',
  cancelled: 'This device could not save it. Please try again.',
};

const MESSAGES: Readonly<Partial<Record<string, string>>> = { ...ERROR_MESSAGES, ...DEVICE_MESSAGES };

/** Messages for the refusals of proxies, by status. */
const PROXY_MESSAGES: Readonly<Partial<Record<number, string>>> = {
  413: ERROR_MESSAGES.too_large,
  429: ERROR_MESSAGES.rate_limited,
};

/**
 * The server's message for a refusal, else the message for its code, else `fallback`. The message stored with `server_replaced`
 * is ignored: it is not from the server but from the app, perhaps from an older version of it.
 */
export function refusalMessage({ code, message }: Omit<OpError, 'status'>, fallback = ''): string {
  const serverMessage = code === 'server_replaced' ? '' : message;
  return serverMessage || (MESSAGES[code] ?? fallback);
}

/**
 * The message for an error of the engine or of `request` (`api-client.ts`); `fallback` for an unexpected error. The text of a
 * response that is not from the API is not shown: from a proxy it is often an HTML page.
 */
export function errorMessage(error: unknown, fallback = 'An unexpected error occurred'): string {
  if (!(error instanceof ApiError)) return MESSAGES[codeOf(error) ?? ''] ?? fallback;
  const { code, serverMessage, status } = error;
  if (serverMessage === null)
    return (status >= 500 ? ERROR_MESSAGES.unavailable : PROXY_MESSAGES[status]) ?? fallback;
  return refusalMessage({ code, message: serverMessage }, fallback);
}
