import type { ErrorIssue, ReceivedCode } from '#shared/errors.ts';
import type { EngineErrorCode } from '#sync/client/types.ts';

/**
 * An answer that is not OK. The message is "status: text", or "API error: status" where there is no text (over HTTP/2 a
 * status has none); programs decide on `code`.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: ReceivedCode;
  readonly issues: readonly ErrorIssue[];
  /** The server's own words, fit to show; null when what answered was not the API. */
  readonly serverMessage: string | null;

  /** `body` is the API's own error, null when what answered was not the API; then `text` is all there is. */
  constructor(
    status: number,
    text: string,
    body: { message: string; code: ReceivedCode; issues?: readonly ErrorIssue[] | undefined } | null,
  ) {
    const words = body?.message ?? text;
    super(words === '' ? `API error: ${status}` : `${status}: ${words}`);
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.issues = body?.issues ?? [];
    this.serverMessage = body?.message ?? null;
  }
}

/** The server could not be reached, or what answered was not the server. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
  readonly code = 'unreachable';
}

/** The code of what the engine or an online call throws; null for anything else (a browser's own codes are numbers). */
export function codeOf(error: unknown): ReceivedCode | EngineErrorCode | null {
  const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
  return typeof code === 'string' ? (code as ReceivedCode | EngineErrorCode) : null;
}
