import { and, eq, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { logSecurityEvent } from '#api/http/logging/security-events.ts';
import { createSetUpToken, voidTokens } from '#api/mail/email-tokens.ts';
import { NO_PASSWORD_HASH } from '#api/passwords/password-pool.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { newReferralCode } from './referrals.ts';
import { creditSignupBonus } from './register.ts';

/** The configured name or address of the owner belongs to another account. */
export class OwnerNameTakenError extends Error {
  constructor() {
    super('OWNER_USERNAME or OWNER_EMAIL belongs to another account. Choose others.');
    this.name = 'OwnerNameTakenError';
  }
}

const HAS_NO_PASSWORD = and(eq(users.id, OWNER_USER_ID), eq(users.passwordHash, NO_PASSWORD_HASH));

/**
 * Creates the owner's account if it does not exist, with the configured password or without any. While it has none, returns a
 * new token for `/reset-password`, by which the owner sets it; else null.
 */
export async function ensureOwner({ db, env, log, passwords }: Deps): Promise<string | null> {
  if (!(await hasOwner(db))) await createOwner(db, env.owner);
  const { password } = env.owner;
  if (password === null) return createSetUpToken(db, HAS_NO_PASSWORD);
  if (!(await hasOwner(db, HAS_NO_PASSWORD))) return null;

  const passwordHash = await passwords.hash(password, { client: 'this server' });
  const isSet = await inTransaction(db, async (tx) => {
    const set = await tx.orm
      .update(users)
      .set({ passwordHash, rev: sql`${users.rev} + 1` })
      .where(HAS_NO_PASSWORD);
    if (set.count === 1) await voidTokens(tx, OWNER_USER_ID, 'reset');
    return set.count === 1;
  });
  if (isSet) logSecurityEvent(log, { event: 'owner_password_configured', userId: OWNER_USER_ID });
  return null;
}

async function createOwner(db: Deps['db'], { username, email }: Deps['env']['owner']): Promise<void> {
  const passwordHash = NO_PASSWORD_HASH;
  const owner = { id: OWNER_USER_ID, username, email, passwordHash, referralCode: newReferralCode() };
  await inTransaction(db, async (tx) => {
    const created = await tx.orm
      .insert(users)
      .values({ ...owner, isAdmin: true, isVerified: true })
      .onConflictDoNothing();
    if (created.count === 1) await creditSignupBonus(tx, OWNER_USER_ID);
  });
  // Another process may have created the owner; otherwise the name or address is taken.
  if (!(await hasOwner(db))) throw new OwnerNameTakenError();
}

async function hasOwner({ orm }: Handle, condition = eq(users.id, OWNER_USER_ID)): Promise<boolean> {
  const [owner] = await orm.select({ id: users.id }).from(users).where(condition);
  return owner !== undefined;
}
