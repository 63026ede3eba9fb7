import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Logger } from 'pino';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { Env } from '#api/env.ts';
import { isLoopback } from '#api/http/loopback.ts';
import { type DigestLetter, unsubscribeHeaders, writeDigest } from './digest-mail.ts';
import { toMailError } from './mail-error.ts';
import type { LeasedMail } from './mail-queue.ts';
import { writeMessage } from './mail-templates.ts';
import type { Letter } from './prepare-letter.ts';

/** Short of a mail's lease, so that nobody else begins while this attempt still runs. */
const SEND_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 15_000;
/** Readable for its owner only: the mails contain valid links. */
const FILE_MODE = 0o600;

export type Mailer = ReturnType<typeof createMailer>;

/** Sends by SMTP, or, without `SMTP_URL`, writes each mail to a file in `DATA_DIR/mail`. */
export function createMailer(env: Pick<Env, 'publicUrl' | 'dataDir' | 'mail'>, log: Logger) {
  const { smtpUrl, from } = env.mail;
  const deliver = smtpUrl === null ? writesTo(join(env.dataDir, 'mail'), log) : sendsBy(smtpUrl);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  return {
    /** Hands the mail over. Throws `MailError`. `signal` cuts the attempt off, with an outcome nobody knows. */
    async send(mail: LeasedMail, letter: Letter | DigestLetter, signal: AbortSignal): Promise<void> {
      const message = await (letter.purpose === 'digest'
        ? writeDigest(env.publicUrl, letter)
        : writeMessage(env.publicUrl, letter));
      const options: SendMailOptions = {
        from,
        to: { name: '', address: letter.email },
        messageId: `<${mail.messageKey}@${domain}>`,
        ...message,
        // Asks holiday notes and the like to leave us alone.
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
        const secrets = 'token' in letter ? [letter.token, letter.email] : [letter.email];
        throw toMailError(error, secrets);
      }
    },
  };
}

type Deliver = (mail: LeasedMail, options: SendMailOptions, signal: AbortSignal) => Promise<void>;

/** A connection a mail: a pool would send again by itself what was cut off, not knowing whether it had arrived. */
function sendsBy(url: string): Deliver {
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

/** Requires STARTTLS of a server on another machine: a mail has a link that works. */
function withRequiredTls(url: string): string {
  const address = new URL(url);
  if (address.protocol !== 'smtp:' || isLoopback(address)) return url;
  // The library prefers what the address says to other options.
  address.searchParams.set('requireTLS', 'true');
  return address.href;
}

/** The same mail always gets the same name, so that a second attempt leaves no second file. */
function writesTo(folder: string, log: Logger): Deliver {
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
