import type { ErrorIssue, ReceivedErrorBody, ReceivedErrorCode } from '#shared/errors.ts';
import type { EngineErrorCode } from '#sync/client/engine-errors.ts';

/**
 * An error response. Its message is "<status>: <message of the API>". For a response from elsewhere, such as a proxy, it is
 * "<status>: <text of the response>", or "API error: <status>" if there is no text. Callers check `code`, and show
 * `errorMessage(error)` to the user.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: ReceivedErrorCode;
  readonly issues: readonly ErrorIssue[];
  /** The API's message for the user; null when the response is not from the API. */
  readonly serverMessage: string | null;
  /** For the second step of the login, with the code `passkey_required`; else null. */
  readonly ticket: string | null;

  /**
   * `text`: the text of the response, or the status text if that is empty. `body`: the parsed text; null when it is not an error of
   * the API but, say, from a proxy.
   */
  constructor(status: number, text: string, body: Omit<ReceivedErrorBody, 'requestId'> | null) {
    const description = body?.message ?? text;
    super(description === '' ? `API error: ${status}` : `${status}: ${description}`);
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.issues = body?.issues ?? [];
    this.serverMessage = body?.message ?? null;
    this.ticket = body?.ticket ?? null;
  }
}

/**
 * There was no response, or one that reports success but does not match the schema of its call, and therefore seems to be from
 * elsewhere, such as the login page of a Wi-Fi network.
 */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
  readonly code = 'unreachable';
}

/** Whether the server may have processed the call that failed with `error`: it is unreachable, or a 5xx, perhaps a gateway's. */
export function mayHaveTakenEffect(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500);
}

/** The code of an error of the engine or of `request` (`api-client.ts`); null for other errors (those of browsers have numeric codes). */
export function codeOf(error: unknown): ReceivedErrorCode | EngineErrorCode | null {
  const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
  return typeof code === 'string' ? (code as ReceivedErrorCode | EngineErrorCode) : null;
}
