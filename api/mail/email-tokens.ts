import { and, eq, gt, ne, not, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { emailTokens } from '#api/db/schema/email-tokens.ts';
import { type MailPurpose, mailQueue } from '#api/db/schema/mail-queue.ts';
import { users } from '#api/db/schema/users.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { hashToken, isTokenShaped, newToken } from '#api/http/session/secret-tokens.ts';
import { RESET_TOKEN_TTL_MINUTES, VERIFICATION_TOKEN_TTL_HOURS } from '#shared/accounts/constants.ts';
import type { LeasedMail } from './mail-queue.ts';

const LIFETIME_MINUTES: Readonly<Record<MailPurpose, number>> = {
  verify: VERIFICATION_TOKEN_TTL_HOURS * 60,
  reset: RESET_TOKEN_TTL_MINUTES,
};

/** What goes into a mail. The only copy of the token. */
export type Letter = { userId: number; email: string; token: string };

/**
 * Makes the token of one attempt at a mail. Null when nobody is to get the mail: the address is no one's, or is
 * confirmed already, or the mail was taken back meanwhile.
 */
export async function prepareLetter(tx: Transaction, mail: LeasedMail): Promise<Letter | null> {
  // The user's row comes first in every transaction about tokens: a change of the address waits, or has happened.
  const isRecipient =
    mail.email === null
      ? and(sql`${users.id} = ${mail.userId}`, not(users.isVerified))
      : sql`lower(${users.email}) = ${mail.email}`;
  const [user] = await tx.orm
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(isRecipient)
    .for('no key update');
  if (user === undefined) return null;
  const ours = await tx.orm
    .update(mailQueue)
    .set({ userId: user.id })
    .where(and(eq(mailQueue.id, mail.id), eq(mailQueue.lease, mail.lease)));
  if (ours.count === 0) return null;

  const token = newToken();
  await tx.orm.insert(emailTokens).values({
    tokenHash: hashToken(token),
    userId: user.id,
    purpose: mail.purpose,
    email: user.email,
    mailId: mail.id,
    expiresAt: sql`now() + make_interval(mins => ${LIFETIME_MINUTES[mail.purpose]})`,
  });
  return { userId: user.id, email: user.email, token };
}

/** Forgets a token that certainly reached nobody. */
export async function discardToken({ orm }: Handle, token: string): Promise<void> {
  await orm.delete(emailTokens).where(eq(emailTokens.tokenHash, hashToken(token)));
}

/** Voids the links that the user has been sent, or those of one purpose; with `exceptMailId` those of other mails alone. */
export async function voidTokens(
  { orm }: Handle,
  userId: number,
  purpose?: MailPurpose,
  exceptMailId?: number,
): Promise<void> {
  const isMeant = purpose === undefined ? undefined : eq(emailTokens.purpose, purpose);
  const isOfOther = exceptMailId === undefined ? undefined : ne(emailTokens.mailId, exceptMailId);
  await orm.delete(emailTokens).where(and(eq(emailTokens.userId, userId), isMeant, isOfOther));
}

/** Whose a token is that has not run out and was sent to the address that they still have; null for any other. */
export async function findTokenUser(
  { orm }: Handle,
  token: string,
  purpose: MailPurpose,
): Promise<number | null> {
  if (!isTokenShaped(token)) return null;
  const [row] = await orm
    .select({ userId: emailTokens.userId })
    .from(emailTokens)
    .innerJoin(users, and(eq(users.id, emailTokens.userId), eq(users.email, emailTokens.email)))
    .where(
      and(
        eq(emailTokens.tokenHash, hashToken(token)),
        eq(emailTokens.purpose, purpose),
        gt(emailTokens.expiresAt, sql`now()`),
      ),
    );
  return row?.userId ?? null;
}
