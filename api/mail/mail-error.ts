const REASON_MAX_LENGTH = 300;

/** SMTP commands whose rejection concerns one mail. Other rejections concern this server, and the operator can resolve them. */
const COMMANDS_ABOUT_ONE_MAIL: readonly unknown[] = ['RCPT TO', 'DATA'];

/** Error codes of failures that occur before a mail is transmitted. */
const CODES_BEFORE_TRANSMISSION: readonly unknown[] = [
  'EDNS',
  'EAUTH',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECT_TIMEOUT',
  'GREETING_TIMEOUT',
];

/** An attempt to send a mail that failed, or whose outcome is unknown. */
export class MailError extends Error {
  /** Whether another attempt is pointless. */
  readonly isFinal: boolean;
  /** Whether the mail has certainly not been delivered. If false, it may have been, and only the server's response was lost. */
  readonly isUndelivered: boolean;

  constructor(message: string, options: { isFinal: boolean; isUndelivered: boolean; cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'MailError';
    this.isFinal = options.isFinal;
    this.isUndelivered = options.isUndelivered;
  }
}

/**
 * Converts an error of the SMTP library. Removes `secrets` (the address and the token), which servers often quote, so that the
 * message can be logged.
 */
export function toMailError(cause: unknown, secrets: readonly string[]): MailError {
  const { code, originalCode, timeoutType, command, responseCode, permanent, message } = detailsOf(cause);
  const isRejected = typeof responseCode === 'number' && responseCode >= 400;
  let details = [code, command, message].filter((part) => typeof part === 'string' && part !== '').join(' ');
  // Ignoring case, because many servers lower-case the address.
  for (const secret of secrets) details = details.replaceAll(new RegExp(escapeRegExp(secret), 'giu'), '…');
  return new MailError(details.slice(0, REASON_MAX_LENGTH), {
    isFinal: permanent === true && COMMANDS_ABOUT_ONE_MAIL.includes(command),
    isUndelivered:
      isRejected ||
      [code, originalCode, timeoutType].some((part) => CODES_BEFORE_TRANSMISSION.includes(part)),
    cause,
  });
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

type Details = { message: string } & Partial<
  Record<'code' | 'originalCode' | 'timeoutType' | 'command' | 'responseCode' | 'permanent', unknown>
>;

function detailsOf(error: unknown): Details {
  return error instanceof Error ? error : { message: String(error) };
}
