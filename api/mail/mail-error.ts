const REASON_MAX_LENGTH = 300;

/** Commands whose refusal is about this mail; any other refusal is about us, and can be mended by the operator. */
const COMMANDS_OF_ONE_MAIL: readonly unknown[] = ['RCPT TO', 'DATA'];

/** Failures before any mail was under way. */
const BEFORE_THE_MAIL: readonly unknown[] = [
  'EDNS',
  'EAUTH',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECT_TIMEOUT',
  'GREETING_TIMEOUT',
];

/** A mail that was not handed over, as far as is known. */
export class MailError extends Error {
  /** Trying again is no use. */
  readonly isFinal: boolean;
  /** The mail has certainly reached nobody; otherwise it may have, and only the answer was lost. */
  readonly isCertain: boolean;

  constructor(message: string, options: { isFinal: boolean; isCertain: boolean; cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'MailError';
    this.isFinal = options.isFinal;
    this.isCertain = options.isCertain;
  }
}

/**
 * What the SMTP library threw, in words fit for a log: without any of `secrets` (the address, the token), which
 * servers like to quote.
 */
export function toMailError(cause: unknown, secrets: readonly string[]): MailError {
  const { code, originalCode, timeoutType, command, responseCode, permanent, message } = detailsOf(cause);
  const isRefused = typeof responseCode === 'number' && responseCode >= 400;
  let words = [code, command, message].filter((part) => typeof part === 'string' && part !== '').join(' ');
  // In any case: many servers write an address small.
  for (const secret of secrets) words = words.replaceAll(new RegExp(escaped(secret), 'giu'), '…');
  return new MailError(words.slice(0, REASON_MAX_LENGTH), {
    isFinal: permanent === true && COMMANDS_OF_ONE_MAIL.includes(command),
    isCertain: isRefused || [code, originalCode, timeoutType].some((part) => BEFORE_THE_MAIL.includes(part)),
    cause,
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

type Details = { message: string } & Partial<
  Record<'code' | 'originalCode' | 'timeoutType' | 'command' | 'responseCode' | 'permanent', unknown>
>;

function detailsOf(error: unknown): Details {
  return error instanceof Error ? error : { message: String(error) };
}
