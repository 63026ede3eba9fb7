import type { Handle } from '#api/db/client.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { hashToken, isTokenShaped, newToken } from '#api/http/session/secret-tokens.ts';
import { RESET_TOKEN_MINUTES, VERIFICATION_TOKEN_HOURS } from '#shared/accounts/constants.ts';
import type { LeasedMail, MailPurpose } from './mail-queue.ts';

const LIFETIME_MINUTES: Readonly<Record<MailPurpose, number>> = {
  verify: VERIFICATION_TOKEN_HOURS * 60,
  reset: RESET_TOKEN_MINUTES,
};

/** What goes into a mail. The only copy of the token. */
export type Letter = { userId: number; email: string; token: string };

/**
 * Makes the token of one attempt at a mail. Null when nobody is to get the mail: the address is no one's, or is
 * confirmed already, or the mail was taken back meanwhile.
 */
export async function prepareLetter(tx: Transaction, mail: LeasedMail): Promise<Letter | null> {
  // The user's row comes first in every transaction about tokens: a change of the address waits, or has happened.
  const [user] = await tx.sql<[{ id: number; email: string }?]>`
    select id, email from users
    where ${mail.email === null ? tx.sql`id = ${mail.userId} and not is_verified` : tx.sql`lower(email) = ${mail.email}`}
    for no key update`;
  if (user === undefined) return null;
  const ours = await tx.sql`
    update mail_queue set user_id = ${user.id} where id = ${mail.id} and lease = ${mail.lease}`;
  if (ours.count === 0) return null;

  const token = newToken();
  await tx.sql`
    insert into email_tokens (token_hash, user_id, purpose, email, mail_id, expires_at)
    values (${hashToken(token)}, ${user.id}, ${mail.purpose}, ${user.email}, ${mail.id},
      now() + make_interval(mins => ${LIFETIME_MINUTES[mail.purpose]}))`;
  return { userId: user.id, email: user.email, token };
}

/** Forgets a token that certainly reached nobody. */
export async function discardToken({ sql }: Handle, token: string): Promise<void> {
  await sql`delete from email_tokens where token_hash = ${hashToken(token)}`;
}

/** Voids what earlier mails of the same purpose brought the user. */
export async function voidOlderTokens({ sql }: Handle, userId: number, mail: LeasedMail): Promise<void> {
  await sql`
    delete from email_tokens
    where user_id = ${userId} and purpose = ${mail.purpose} and mail_id <> ${mail.id}`;
}

/** Voids every link that the user has been sent, or those of one purpose. */
export async function voidTokens(
  { sql }: Handle,
  userId: number,
  purpose: MailPurpose | null = null,
): Promise<void> {
  await sql`
    delete from email_tokens where user_id = ${userId} and (${purpose}::text is null or purpose = ${purpose})`;
}

/** Whose a token is that has not run out and was sent to the address that they still have; null for any other. */
export async function findTokenUser(
  { sql }: Handle,
  token: string,
  purpose: MailPurpose,
): Promise<number | null> {
  if (!isTokenShaped(token)) return null;
  const [row] = await sql<[{ userId: number }?]>`
    select email_tokens.user_id as "userId" from email_tokens join users on users.id = email_tokens.user_id
    where token_hash = ${hashToken(token)} and purpose = ${purpose} and expires_at > now()
      and users.email = email_tokens.email`;
  return row?.userId ?? null;
}
