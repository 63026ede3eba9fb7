import { and, eq, gt, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Handle } from '#api/db/client.ts';
import { emailTokens, type MailPurpose, mailQueue, type TokenPurpose } from '#api/db/schema/mail.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { hashToken, isTokenShaped, newToken } from '#api/http/session/secret-tokens.ts';
import { SET_UP_TOKEN_TTL_HOURS, UNDO_TOKEN_TTL_DAYS } from '#shared/accounts/constants.ts';
import { unqueueMails } from './mail-queue.ts';

/** The `mail_id` of tokens whose link is printed instead of mailed. No mail has this id. */
const NOT_MAILED_ID = 0;

/**
 * Creates the token of a link that sets the password of the user who meets `condition`. The link is not mailed. Earlier links
 * remain valid, since each process of an installation prints one. Null if no user meets the condition.
 */
export async function createSetUpToken(db: Database, condition: SQL | undefined): Promise<string | null> {
  return inTransaction(db, async ({ orm }) => {
    // The lock makes this wait for a reset, which voids the links, so that no link is created after it.
    const [user] = await orm
      .select({ id: users.id, email: users.email })
      .from(users)
      .where(condition)
      .for('no key update');
    if (user === undefined) return null;
    const token = newToken();
    await orm.insert(emailTokens).values({
      tokenHash: hashToken(token),
      userId: user.id,
      purpose: 'reset',
      email: user.email,
      mailId: NOT_MAILED_ID,
      expiresAt: sql`now() + make_interval(hours => ${SET_UP_TOKEN_TTL_HOURS})`,
    });
    return token;
  });
}

/** Whether a token comes from `createSetUpToken`: it sets an account's first password instead of resetting one. */
export function isSetUpToken({ mailId }: StoredToken): boolean {
  return mailId === NOT_MAILED_ID;
}

/** Deletes a token whose mail has certainly reached nobody. */
export async function discardToken({ orm }: Handle, token: string): Promise<void> {
  await orm.delete(emailTokens).where(eq(emailTokens.tokenHash, hashToken(token)));
}

/**
 * Voids the verification or reset links that the user got in mails other than `mailId`. Links that undo a change, and printed
 * links, remain valid.
 */
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
      and(
        eq(emailTokens.userId, userId),
        eq(emailTokens.purpose, purpose),
        ne(emailTokens.mailId, mailId),
        ne(emailTokens.mailId, NOT_MAILED_ID),
      ),
    );
}

/** Voids the links of one purpose to the user that were sent or, for the owner, printed. */
export async function voidTokens({ orm }: Handle, userId: number, purpose: TokenPurpose): Promise<void> {
  await orm.delete(emailTokens).where(and(eq(emailTokens.userId, userId), eq(emailTokens.purpose, purpose)));
}

/**
 * Voids the links of one purpose to the user, whether queued or sent. The queued mail comes first, as when a sent mail is recorded
 * (its row is removed, then the older links are voided): the other order could deadlock with that.
 */
export async function voidLinks(
  handle: Handle,
  user: { id: number; email: string },
  purpose: 'verify' | 'reset',
): Promise<void> {
  await unqueueMails(handle, user, purpose);
  await voidTokens(handle, user.id, purpose);
}

/**
 * Voids the links that undo changes later than that of the given token, if they were sent to another address: the undo with this
 * token removes that address from the account.
 */
export async function voidLaterUndoLinks(
  { orm }: Handle,
  { userId, email, mailId }: StoredToken,
): Promise<void> {
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
 * The time (a timestamp as text) of the earliest change to passkeys or the second step that the address of a token can still
 * undo. The token's own change counts, and so do those whose mail is still queued.
 */
export async function findFirstUndoableChange(
  { sql }: Handle,
  { userId, email }: StoredToken,
): Promise<string> {
  // Tagged SQL: a minimum over two tables, as text to keep the microseconds.
  const [first] = await sql<[{ createdAt: string }]>`
    select min(created_at)::text as "createdAt" from (
      select created_at from email_tokens
      where user_id = ${userId} and purpose = 'undo-passkeys' and email = ${email} and expires_at > now()
      union all
      select created_at from mail_queue
      where user_id = ${userId} and is_undoable and email = ${email}
        and created_at > now() - make_interval(days => ${UNDO_TOKEN_TTL_DAYS})) as changes`;
  return first.createdAt;
}

/** Voids all links of an address, sent or queued, that undo changes to passkeys or the second step. */
export async function voidPasskeyUndoLinks({ orm }: Handle, { userId, email }: StoredToken): Promise<void> {
  const isQueued = and(eq(mailQueue.userId, userId), mailQueue.isUndoable, eq(mailQueue.email, email));
  await orm.delete(mailQueue).where(isQueued);
  const isTheirs = and(eq(emailTokens.userId, userId), eq(emailTokens.email, email));
  await orm.delete(emailTokens).where(and(isTheirs, eq(emailTokens.purpose, 'undo-passkeys')));
}

export type StoredToken = Pick<typeof emailTokens.$inferSelect, 'userId' | 'email' | 'mailId' | 'createdAt'>;

/**
 * Which links still work, by the user's email: a reset link while its address is the email, a verification link also while it is
 * the requested one. Links that undo a change always do.
 */
const IS_ADDRESS_VALID: Readonly<Record<TokenPurpose, SQL | undefined>> = {
  verify: or(eq(users.email, emailTokens.email), eq(users.pendingEmail, emailTokens.email)),
  reset: eq(users.email, emailTokens.email),
  'undo-email': undefined,
  'undo-passkeys': undefined,
};

/** Finds a token of this purpose. Null if it does not exist, has expired, or is for an address that has been replaced since. */
export async function findToken(
  { orm }: Handle,
  token: string,
  purpose: TokenPurpose,
): Promise<StoredToken | null> {
  if (!isTokenShaped(token)) return null;
  const [row] = await orm
    .select({
      userId: emailTokens.userId,
      email: emailTokens.email,
      mailId: emailTokens.mailId,
      createdAt: emailTokens.createdAt,
    })
    .from(emailTokens)
    .innerJoin(users, and(eq(users.id, emailTokens.userId), IS_ADDRESS_VALID[purpose]))
    .where(
      and(
        eq(emailTokens.tokenHash, hashToken(token)),
        eq(emailTokens.purpose, purpose),
        gt(emailTokens.expiresAt, sql`now()`),
      ),
    );
  return row ?? null;
}
