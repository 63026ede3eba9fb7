import { and, eq, gt, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { emailTokens, type MailPurpose, mailQueue, type TokenPurpose } from '#api/db/schema/mail.ts';
import { users } from '#api/db/schema/users.ts';
import { hashToken, isTokenShaped, newToken } from '#api/http/session/secret-tokens.ts';
import { SET_UP_TOKEN_TTL_HOURS, UNDO_TOKEN_TTL_DAYS } from '#shared/accounts/constants.ts';

/** No mail has this id. */
const NOT_MAILED_ID = 0;

/**
 * Makes the token of a link, sent by no mail, that sets the password of the user who meets `condition`, and voids the older
 * ones; null without such a user.
 */
export async function createSetUpToken({ orm }: Handle, condition: SQL | undefined): Promise<string | null> {
  const [user] = await orm.select({ id: users.id, email: users.email }).from(users).where(condition);
  if (user === undefined) return null;
  const token = newToken();
  await orm
    .delete(emailTokens)
    .where(and(eq(emailTokens.userId, user.id), eq(emailTokens.mailId, NOT_MAILED_ID)));
  await orm.insert(emailTokens).values({
    tokenHash: hashToken(token),
    userId: user.id,
    purpose: 'reset',
    email: user.email,
    mailId: NOT_MAILED_ID,
    expiresAt: sql`now() + make_interval(hours => ${SET_UP_TOKEN_TTL_HOURS})`,
  });
  return token;
}

/** Whether a token was made for the first password of an account, not for a new one. */
export function isSetUpToken({ mailId }: FoundToken): boolean {
  return mailId === NOT_MAILED_ID;
}

/** Forgets a token that certainly reached nobody. */
export async function discardToken({ orm }: Handle, token: string): Promise<void> {
  await orm.delete(emailTokens).where(eq(emailTokens.tokenHash, hashToken(token)));
}

/** Voids the links of a letter's kind that the user was sent in other mails. A link that undoes a change stays. */
export async function voidOlderTokens(
  { orm }: Handle,
  letter: { userId: number; purpose: MailPurpose },
  mailId: number,
): Promise<void> {
  const { userId, purpose } = letter;
  if (purpose !== 'verify' && purpose !== 'reset') return;
  await orm
    .delete(emailTokens)
    .where(
      and(eq(emailTokens.userId, userId), eq(emailTokens.purpose, purpose), ne(emailTokens.mailId, mailId)),
    );
}

/** Voids the links of one purpose that the user has been sent. */
export async function voidTokens({ orm }: Handle, userId: number, purpose: TokenPurpose): Promise<void> {
  await orm.delete(emailTokens).where(and(eq(emailTokens.userId, userId), eq(emailTokens.purpose, purpose)));
}

/** Voids the links that undo later changes than the one with `token`: they lead to addresses that this one takes away. */
export async function voidLaterUndos({ orm }: Handle, { userId, email, mailId }: FoundToken): Promise<void> {
  await orm
    .delete(emailTokens)
    .where(
      and(
        eq(emailTokens.userId, userId),
        inArray(emailTokens.purpose, ['undo-email', 'undo-passkeys']),
        gt(emailTokens.mailId, mailId),
        ne(emailTokens.email, email),
      ),
    );
}

/**
 * When the first of the changes to passkeys or the second step was made that the address of a token can undo now, that of the
 * token among them. A link that is still to be sent counts, too.
 */
export async function firstUndoable({ sql }: Handle, { userId, email }: FoundToken): Promise<string> {
  // Tagged SQL: one minimum of two tables, as precise as the times themselves.
  const [first] = await sql<[{ at: string }]>`
    select min(created_at)::text as at from (
      select created_at from email_tokens
      where user_id = ${userId} and purpose = 'undo-passkeys' and email = ${email} and expires_at > now()
      union all
      select created_at from mail_queue
      where user_id = ${userId} and is_undoable and email = ${email}
        and created_at > now() - make_interval(days => ${UNDO_TOKEN_TTL_DAYS})) as changes`;
  return first.at;
}

/** Voids the links to an address that undo changes to passkeys or the second step, sent or queued. */
export async function voidPasskeyUndos({ orm }: Handle, { userId, email }: FoundToken): Promise<void> {
  const isQueued = and(eq(mailQueue.userId, userId), mailQueue.isUndoable, eq(mailQueue.email, email));
  await orm.delete(mailQueue).where(isQueued);
  const isTheirs = and(eq(emailTokens.userId, userId), eq(emailTokens.email, email));
  await orm.delete(emailTokens).where(and(isTheirs, eq(emailTokens.purpose, 'undo-passkeys')));
}

export type FoundToken = Pick<typeof emailTokens.$inferSelect, 'userId' | 'email' | 'mailId' | 'createdAt'>;

/** The address that the user of a token must have, beside the token: a reset goes to theirs, a verification may go to the next. */
const IS_CURRENT: Readonly<Record<TokenPurpose, SQL | undefined>> = {
  verify: or(eq(users.email, emailTokens.email), eq(users.pendingEmail, emailTokens.email)),
  reset: eq(users.email, emailTokens.email),
  'undo-email': undefined,
  'undo-passkeys': undefined,
};

/** A token of this purpose that has neither expired nor lost its meaning; null for any other. */
export async function findToken(
  { orm }: Handle,
  token: string,
  purpose: TokenPurpose,
): Promise<FoundToken | null> {
  if (!isTokenShaped(token)) return null;
  const [row] = await orm
    .select({
      userId: emailTokens.userId,
      email: emailTokens.email,
      mailId: emailTokens.mailId,
      createdAt: emailTokens.createdAt,
    })
    .from(emailTokens)
    .innerJoin(users, and(eq(users.id, emailTokens.userId), IS_CURRENT[purpose]))
    .where(
      and(
        eq(emailTokens.tokenHash, hashToken(token)),
        eq(emailTokens.purpose, purpose),
        gt(emailTokens.expiresAt, sql`now()`),
      ),
    );
  return row ?? null;
}
