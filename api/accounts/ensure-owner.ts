import { and, eq, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError, ExplainedError } from '#api/errors.ts';
import { logSecurityEvent } from '#api/http/logging/security-events.ts';
import { createSetUpToken, voidTokens } from '#api/mail/email-tokens.ts';
import { NO_PASSWORD_HASH } from '#api/passwords/password-pool.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { hashNewPassword } from './passwords/new-password.ts';
import { newReferralCode } from './referrals.ts';
import { creditSignupBonus } from './register.ts';

/** Thrown when the configured username or email of the owner belongs to another account. */
class OwnerNameTakenError extends ExplainedError {
  constructor() {
    super('OWNER_USERNAME or OWNER_EMAIL belongs to another account. Choose others.');
  }
}

/** Thrown when the configured password breaks the rules that apply to all passwords. */
export class OwnerPasswordError extends ExplainedError {
  constructor({ message }: AppError) {
    super(
      `OWNER_PASSWORD cannot be the owner's password. ${message} Set another one, or unset the variable: the server then prints a link for setting the password when it starts.`,
    );
  }
}

type Owner = { username: string; email: string };

const OWNER_HAS_NO_PASSWORD = and(eq(users.id, OWNER_USER_ID), eq(users.passwordHash, NO_PASSWORD_HASH));

/**
 * Creates the owner's account if it does not exist. If it has no password, sets the configured one, or if none is configured,
 * returns a new token for `/reset-password`, with which the owner sets one; otherwise returns null. Once the owner has a password,
 * the configured one has no effect. Throws `OwnerPasswordError`, before anything is stored, if the password to be set is easy to
 * guess, and `OwnerNameTakenError`.
 */
export async function ensureOwner(deps: Deps): Promise<string | null> {
  const { db, env, log } = deps;
  const owner = await findOwner(db);
  const { password } = env.owner;
  const isPasswordNeeded = owner === null || owner.passwordHash === NO_PASSWORD_HASH;
  const passwordHash =
    isPasswordNeeded && password !== null
      ? await hashOwnerPassword(deps, password, owner ?? env.owner)
      : null;
  if (owner === null) await createOwner(db, env.owner);
  if (password === null) return createSetUpToken(db, OWNER_HAS_NO_PASSWORD);
  if (passwordHash === null) return null;

  const isSet = await inTransaction(db, async (tx) => {
    const set = await tx.orm
      .update(users)
      .set({ passwordHash, rev: sql`${users.rev} + 1` })
      .where(OWNER_HAS_NO_PASSWORD);
    if (set.count === 1) await voidTokens(tx, OWNER_USER_ID, 'reset');
    return set.count === 1;
  });
  if (isSet) logSecurityEvent(log, { event: 'owner_password_configured', userId: OWNER_USER_ID });
  return null;
}

async function hashOwnerPassword(deps: Deps, password: string, owner: Owner): Promise<string> {
  try {
    const newPassword = { password, field: 'OWNER_PASSWORD' };
    return await hashNewPassword(deps, newPassword, owner, { client: 'this server' });
  } catch (error) {
    throw error instanceof AppError && error.code === 'weak_password' ? new OwnerPasswordError(error) : error;
  }
}

async function createOwner(db: Deps['db'], { username, email }: Owner): Promise<void> {
  const passwordHash = NO_PASSWORD_HASH;
  const owner = { id: OWNER_USER_ID, username, email, passwordHash, referralCode: newReferralCode() };
  await inTransaction(db, async (tx) => {
    const created = await tx.orm
      .insert(users)
      .values({ ...owner, isAdmin: true, isVerified: true })
      .onConflictDoNothing();
    if (created.count === 1) await creditSignupBonus(tx, OWNER_USER_ID);
  });
  // If another process has just created the owner, all is well. Otherwise the username or email is taken.
  if ((await findOwner(db)) === null) throw new OwnerNameTakenError();
}

async function findOwner({ orm }: Handle): Promise<(Owner & { passwordHash: string }) | null> {
  const { username, email, passwordHash } = users;
  const [owner] = await orm
    .select({ username, email, passwordHash })
    .from(users)
    .where(eq(users.id, OWNER_USER_ID));
  return owner ?? null;
}
