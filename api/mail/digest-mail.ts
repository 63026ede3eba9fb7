import { and, eq, isNull, not } from 'drizzle-orm';
import { html } from 'hono/html';
import { users } from '#api/db/schema/users.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { type Message, mailButton, mailLink, mailPage, smallPrint } from './mail-page.ts';
import type { LeasedMail } from './mail-queue.ts';

/** The content of a weekly mail: the results of the user's polls, and sentences about other events. */
export type Digest = { results: readonly { question: string; result: string }[]; facts: readonly string[] };
export type DigestLetter = {
  purpose: 'digest';
  userId: number;
  email: string;
  digest: Digest;
  unsubscribeUrl: string;
};

/** Where the mail runner gets the content and the links of weekly mails. */
export type DigestSource = {
  /** The content of a user's weekly mail; null if nothing happened. */
  compose(tx: Transaction, userId: number): Promise<Digest | null>;
  unsubscribeUrlOf(userId: number): string;
};

/** The weekly mail of a user at this moment. Null if nothing happened or the user gets no weekly mails. */
export async function prepareDigest(
  tx: Transaction,
  { userId }: LeasedMail,
  digests: DigestSource | undefined,
): Promise<DigestLetter | null> {
  if (userId === null || digests === undefined) return null;
  const [user] = await tx.orm
    .select({ email: users.email })
    .from(users)
    .where(
      and(
        eq(users.id, userId),
        users.isVerified,
        users.wantsDigest,
        not(users.isSuspended),
        isNull(users.deletionDueAt),
      ),
    );
  if (user === undefined) return null;
  const digest = await digests.compose(tx, userId);
  if (digest === null) return null;
  const unsubscribeUrl = digests.unsubscribeUrlOf(userId);
  return { purpose: 'digest', userId, email: user.email, digest, unsubscribeUrl };
}

/** Writes the text and HTML of a weekly mail. To prevent spam, the only text by users is that of the recipient's own polls. */
export async function writeDigest(
  publicUrl: string,
  { digest, unsubscribeUrl }: DigestLetter,
): Promise<Message> {
  const { results, facts } = digest;
  const subject = results.length > 0 ? 'Your polls this week: the results' : 'Your week on This or That?';
  const lead = results.length > 0 ? 'The crowd has decided:' : 'Here is what happened this week.';
  const home = `${publicUrl}/home`;
  const why = 'We send this email once a week, if there is something to tell you.';
  const text = [
    'Hi,',
    lead,
    ...results.map(({ question, result }) => `${question}\n${result}`),
    ...facts,
    home,
    `${why} Unsubscribe: ${unsubscribeUrl}`,
    `This or That? Let the crowd decide!\n${publicUrl}\n`,
  ].join('\n\n');
  const content = html`<p>${lead}</p>
${results.map(({ question, result }) => html`<p><b>${question}</b><br>${result}</p>\n`)}
${facts.map((fact) => html`<p>${fact}</p>\n`)}
${mailButton(home, 'Open This or That?')}
${smallPrint(why, ' ', mailLink(unsubscribeUrl, 'Unsubscribe'))}`;
  return { subject, text, html: await mailPage(subject, content) };
}

/** The headers with which mail programs offer to unsubscribe with one click (RFC 8058). */
export function unsubscribeHeaders({ unsubscribeUrl }: DigestLetter): Record<string, string> {
  return { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
