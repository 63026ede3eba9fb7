import { ERROR_MESSAGES, ERROR_STATUS, type ErrorCode, type ErrorIssue } from '#shared/errors.ts';

type AppErrorOptions = {
  /** By default the message of the code in `ERROR_MESSAGES`. */
  message?: string;
  issues?: readonly ErrorIssue[];
  /** For `passkey_required`: the proof that the password was right. */
  ticket?: string;
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Logged, never sent. */
  cause?: unknown;
};

/** An error response. Its message can be shown to a user. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly ErrorIssue[] | undefined;
  readonly ticket: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? ERROR_MESSAGES[code], { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = options.issues;
    this.ticket = options.ticket;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): (typeof ERROR_STATUS)[ErrorCode] {
    return ERROR_STATUS[this.code];
  }
}

/** An error for the operator, at the start or in a command. Its message says in one line what is wrong and what to do. */
export class ExplainedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
  }
}
