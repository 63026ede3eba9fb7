import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Logger } from 'pino';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { Env } from '#api/env.ts';
import { isLoopback } from '#api/http/loopback.ts';
import { unsubscribeHeaders, writeDigest } from './digest-mail.ts';
import { toMailError } from './mail-error.ts';
import type { LeasedMail } from './mail-queue.ts';
import { writeMessage } from './mail-templates.ts';
import type { Letter } from './prepare-letter.ts';

/** Shorter than a mail's lease, so that no other process sends the mail during this attempt. */
const SEND_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 15_000;
/** Readable by the server's system user only, because mails contain valid links. */
const FILE_MODE = 0o600;

export type Mailer = ReturnType<typeof createMailer>;

/** Creates the mailer. It sends by SMTP or, without `SMTP_URL`, writes each mail to a file in `DATA_DIR/mail`. */
export function createMailer(env: Pick<Env, 'publicUrl' | 'dataDir' | 'mail'>, log: Logger) {
  const { smtpUrl, from } = env.mail;
  const deliver =
    smtpUrl === null ? createFileDelivery(join(env.dataDir, 'mail'), log) : createSmtpDelivery(smtpUrl);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  return {
    /** Makes one attempt to send a mail. Throws `MailError`. `signal` aborts the attempt, whose outcome is then unknown. */
    async send(mail: LeasedMail, letter: Letter, signal: AbortSignal): Promise<void> {
      const message = await (letter.purpose === 'digest'
        ? writeDigest(env.publicUrl, letter)
        : writeMessage(env.publicUrl, letter));
      const options: SendMailOptions = {
        from,
        // An object, since a string would be parsed as a list of addresses.
        to: { name: '', address: letter.email },
        messageId: `<${mail.messageKey}@${domain}>`,
        ...message,
        // Suppresses automatic replies such as out-of-office messages.
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(letter.purpose === 'digest' && unsubscribeHeaders(letter)),
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      };
      try {
        await deliver(mail, options, AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]));
      } catch (error) {
        throw toMailError(error, secretsOf(letter));
      }
    },
  };
}

/**
 * What is removed from error messages: the address and the token. For a weekly mail this is the token in its unsubscribe link, not
 * the whole link, which would not be found if a server quotes it without its scheme.
 */
function secretsOf(letter: Letter): string[] {
  if (letter.purpose === 'digest') {
    const { unsubscribeUrl, email } = letter;
    return [new URL(unsubscribeUrl).searchParams.get('token') ?? unsubscribeUrl, email];
  }
  return 'token' in letter ? [letter.token, letter.email] : [letter.email];
}

type Deliver = (mail: LeasedMail, options: SendMailOptions, signal: AbortSignal) => Promise<void>;

/** Delivers by SMTP with one connection per mail: a pool would resend interrupted mails, which may have arrived. */
function createSmtpDelivery(url: string): Deliver {
  const transport = createTransport({
    url: withRequiredTls(url),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SEND_TIMEOUT_MS,
  });
  return async (_mail, options, signal) => {
    await transport.sendMail({ ...options, signal });
  };
}

/** Adds the requirement of STARTTLS, unless the mail server is on this machine: mails contain valid links. */
function withRequiredTls(url: string): string {
  const address = new URL(url);
  if (address.protocol !== 'smtp:' || isLoopback(address)) return url;
  // In nodemailer, parameters of the URL take precedence over options.
  address.searchParams.set('requireTLS', 'true');
  return address.href;
}

/** Delivers to files. The name depends only on the mail, so that a second attempt replaces the first file. */
function createFileDelivery(folder: string, log: Logger): Deliver {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return async ({ id, purpose, createdAt }, options) => {
    const { message } = await transport.sendMail(options);
    const file = `${toIsoDate(createdAt).replaceAll(/[-:]|\.\d+/g, '')}-${purpose}-${id}.eml`;
    const path = join(folder, file);
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.part`, message, { mode: FILE_MODE });
    await rename(`${path}.part`, path);
    log.info({ file }, 'A mail was written to a file');
  };
}
