import type { ErrorCode, ErrorIssue } from '#shared/errors.ts';

/**
 * An answer that is not OK. The message is "status: text", or "API error: status" where there is no text (over HTTP/2 a
 * status has none); programs decide on `code`.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode | 'unknown';
  readonly issues: readonly ErrorIssue[];
  /** The server's own words, fit to show; null when what answered was not the API. */
  readonly serverMessage: string | null;

  constructor(status: number, text: string, code: ErrorCode | 'unknown', issues: readonly ErrorIssue[]) {
    super(text === '' ? `API error: ${status}` : `${status}: ${text}`);
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.serverMessage = code === 'unknown' ? null : text;
  }
}

/** The server could not be reached, or what answered was not the server. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}
