import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import type { Deps } from '#api/deps.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { newReferralCode } from './register.ts';

const PASSWORD_BYTES = 15;

/** The configured name or address of the owner belongs to another account. */
export class OwnerNameTakenError extends Error {
  constructor() {
    super('OWNER_USERNAME or OWNER_EMAIL belongs to another account. Choose others.');
    this.name = 'OwnerNameTakenError';
  }
}

/**
 * Creates the owner's account if it does not exist. Returns the password if it was generated here; it cannot be read later.
 */
export async function ensureOwner({ db, env, passwords }: Deps): Promise<string | null> {
  if (await hasOwner(db)) return null;

  const { username, email, password } = env.owner;
  const newPassword = password ?? randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await passwords.hash(newPassword);
  const owner = { id: OWNER_USER_ID, username, email, passwordHash, referralCode: newReferralCode() };
  const inserted = await db.orm
    .insert(users)
    .values({ ...owner, isAdmin: true, isVerified: true })
    .onConflictDoNothing();
  if (inserted.count === 1) return password === null ? newPassword : null;

  // Another process may have created the owner; otherwise the name or address is taken.
  if (!(await hasOwner(db))) throw new OwnerNameTakenError();
  return null;
}

async function hasOwner({ orm }: Handle): Promise<boolean> {
  const [owner] = await orm.select({ id: users.id }).from(users).where(eq(users.id, OWNER_USER_ID));
  return owner !== undefined;
}
