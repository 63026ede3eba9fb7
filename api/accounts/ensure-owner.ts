import { randomBytes } from 'node:crypto';
import type { Deps } from '#api/deps.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { newReferralCode } from './register.ts';

const PASSWORD_BYTES = 15;

/** The name or the address configured for the owner belongs to someone else. */
export class OwnerNameTakenError extends Error {
  constructor() {
    super('OWNER_USERNAME or OWNER_EMAIL belongs to another account. Choose others.');
    this.name = 'OwnerNameTakenError';
  }
}

/**
 * Makes the owner's account when there is none. Returns the password if it was made at random here: the only
 * chance to show it.
 */
export async function ensureOwner({
  db,
  env,
  passwords,
}: Pick<Deps, 'db' | 'env' | 'passwords'>): Promise<string | null> {
  const existing = await db.sql`select from users where id = ${OWNER_USER_ID}`;
  if (existing.count > 0) return null;

  const { username, email, password } = env.owner;
  const newPassword = password ?? randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await passwords.hash(newPassword);
  const inserted = await db.sql`
    insert into users (id, username, email, password_hash, referral_code, is_admin, is_verified)
    values (${OWNER_USER_ID}, ${username}, ${email}, ${passwordHash}, ${newReferralCode()}, true, true)
    on conflict do nothing`;
  if (inserted.count === 1) return password === null ? newPassword : null;

  // Another process may have been faster; if not, the name is someone else's.
  const now = await db.sql`select from users where id = ${OWNER_USER_ID}`;
  if (now.count === 0) throw new OwnerNameTakenError();
  return null;
}
