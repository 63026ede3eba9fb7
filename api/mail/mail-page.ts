import { html } from 'hono/html';

/** The subject of a mail, and its content as plain text and as HTML. */
export type Message = { subject: string; text: string; html: string };

type Html = ReturnType<typeof html>;

const BODY = 'margin:0;padding:32px 16px;background:#f6f3ef;color:#231a14;font:16px/1.5 system-ui,sans-serif';
const CARD = 'max-width:440px;margin:0 auto;padding:32px;background:#ffffff;border-radius:28px';
const NAME = 'margin:0 0 24px;font-size:20px;font-weight:800';
const BUTTON =
  'display:inline-block;padding:12px 24px;background:#fed835;color:#261a09;border-radius:16px;font-weight:700;text-decoration:none';
const SMALL = 'margin:24px 0 0;color:#635951;font-size:14px';
const LINK = 'color:#635951;overflow-wrap:anywhere';

/** A button in a separate paragraph. */
export const mailButton = (href: string, label: string) =>
  html`<p style="margin:24px 0"><a href="${href}" style="${BUTTON}">${label}</a></p>`;

/** A link within the small print. */
export const mailLink = (href: string, label = href) => html`<a href="${href}" style="${LINK}">${label}</a>`;

/** A paragraph of the small print. */
export const smallPrint = (...parts: (string | Html)[]) => html`<p style="${SMALL}">${parts}</p>`;

/** The HTML page of a mail: the app's name, a greeting and `content`. */
export async function mailPage(subject: string, content: Html): Promise<string> {
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
${content}
</div>
</body>
</html>
`;
  return page.toString();
}
