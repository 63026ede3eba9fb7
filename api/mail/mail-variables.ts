import parseAddresses from 'nodemailer/lib/addressparser';
import * as z from 'zod/mini';
import { isDecodable, parseUrl } from '#api/db/postgres/database-variables.ts';
import { registerInputSchema } from '#shared/accounts/schema.ts';

const DEFAULT_SENDER_NAME = 'This or That?';

const smtpUrlSchema = z.string().check(
  z.refine(
    (text) => /^smtps?:$/.test(parseUrl(text)?.protocol ?? '') && parseUrl(text)?.hostname !== '',
    'must look like smtps://user:password@host:465, or smtp:// with STARTTLS',
  ),
  z.refine((text) => isDecodable(text), 'must have every % in its user and password written as %25'),
  // With a pool, nodemailer would resend interrupted mails, which may have arrived.
  z.refine((text) => parseUrl(text)?.searchParams.has('pool') !== true, 'must not have the parameter pool'),
  // With a service, nodemailer would connect to its server instead, and not require TLS.
  z.refine(
    (text) => parseUrl(text)?.searchParams.has('service') !== true,
    'must have the host of the mail server instead of the parameter service',
  ),
);

const mailFromSchema = z.pipe(
  z.string().check(
    z.refine((text) => {
      const addresses = parseAddresses(text, { flatten: true });
      const isOne = addresses.length === 1 && !/[\r\n]/.test(text);
      return isOne && registerInputSchema.shape.email.safeParse(addresses[0]?.address).success;
    }, 'must be an address such as This or That? <hello@polls.example.org>'),
  ),
  z.transform((text) => {
    const [sender] = parseAddresses(text, { flatten: true });
    return { name: sender?.name || DEFAULT_SENDER_NAME, address: sender?.address ?? '' };
  }),
);

/** The schemas of the mail variables, each separately; `problemsOfMail` checks them together. */
export const mailVariables = {
  SMTP_URL: z.optional(smtpUrlSchema),
  MAIL_FROM: z.optional(mailFromSchema),
};

type MailValues = {
  SMTP_URL?: string | undefined;
  MAIL_FROM?: { name: string; address: string } | undefined;
};

/** Error messages about inconsistent variables; empty if there are none. */
export function problemsOfMail(variables: Readonly<Record<string, string | undefined>>): string[] {
  if (variables.SMTP_URL === undefined || variables.MAIL_FROM !== undefined) return [];
  return ['MAIL_FROM: must be set when SMTP_URL is, such as This or That? <hello@polls.example.org>'];
}

/** The mail server and the sender of mails, from the values of the variables. */
export function mailSettings(values: MailValues, publicUrl: string) {
  return {
    /** If null, mails are written to files. */
    smtpUrl: values.SMTP_URL ?? null,
    from: values.MAIL_FROM ?? {
      name: DEFAULT_SENDER_NAME,
      address: `no-reply@${new URL(publicUrl).hostname}`,
    },
  };
}
