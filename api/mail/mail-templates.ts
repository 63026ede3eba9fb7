import { html } from 'hono/html';
import type { MailPurpose } from '#api/db/schema/mail-queue.ts';
import { RESET_TOKEN_TTL_MINUTES, VERIFICATION_TOKEN_TTL_HOURS } from '#shared/accounts/constants.ts';

export type Message = { subject: string; text: string; html: string };

const WORDS = {
  verify: {
    path: '/verify-email',
    subject: 'Confirm your email for This or That?',
    lead: 'One tap and your email is confirmed. Then back to the important questions.',
    button: 'Confirm my email',
    validity: `The link works for ${VERIFICATION_TOKEN_TTL_HOURS} hours.`,
    ignore: 'Never heard of This or That? Someone mistyped their address. You can ignore this mail.',
  },
  reset: {
    path: '/reset-password',
    subject: 'Choose a new password for This or That?',
    lead: 'You asked for a new password. Choose it here, and log in with it everywhere.',
    button: 'Choose a new password',
    validity: `The link works once, for ${RESET_TOKEN_TTL_MINUTES} minutes.`,
    ignore: 'You did not ask? Then ignore this mail: your password stays as it is.',
  },
} satisfies Record<MailPurpose, Record<string, string>>;

const BODY = 'margin:0;padding:32px 16px;background:#f6f3ef;color:#231a14;font:16px/1.5 system-ui,sans-serif';
const CARD = 'max-width:440px;margin:0 auto;padding:32px;background:#ffffff;border-radius:28px';
const NAME = 'margin:0 0 24px;font-size:20px;font-weight:800';
const BUTTON =
  'display:inline-block;padding:12px 24px;background:#fed835;color:#261a09;border-radius:16px;font-weight:700;text-decoration:none';
const SMALL = 'margin:24px 0 0;color:#635951;font-size:14px';
const LINK = 'color:#635951;overflow-wrap:anywhere';

/**
 * The words of a mail, as plain text and as HTML. The link leads to `publicUrl`, whatever any request said. Nothing in it
 * was chosen by who asked for it: a username may look like an address, and mail programs make links of those.
 */
export async function writeMessage(
  publicUrl: string,
  letter: { purpose: MailPurpose; token: string },
): Promise<Message> {
  const { path, subject, lead, button, validity, ignore } = WORDS[letter.purpose];
  const link = `${publicUrl}${path}?token=${letter.token}`;
  const text = `Hi,

${lead}

${link}

${validity}

${ignore}

This or That? Let the crowd decide!
${publicUrl}
`;
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="${BODY}">
<div style="${CARD}">
<p style="${NAME}">This or That?</p>
<p>Hi,</p>
<p>${lead}</p>
<p style="margin:24px 0"><a href="${link}" style="${BUTTON}">${button}</a></p>
<p>${validity}</p>
<p style="${SMALL}">Does the button not work? Open this address:<br><a href="${link}" style="${LINK}">${link}</a></p>
<p style="${SMALL}">${ignore}</p>
</div>
</body>
</html>
`;
  return { subject, text, html: page.toString() };
}
