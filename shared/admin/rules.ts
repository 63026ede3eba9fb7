import { isAdmin } from '#shared/accounts/rules.ts';
import type { User } from '#shared/accounts/schema.ts';

export type UserBadge = 'admin' | 'suspended' | 'active' | 'unverified';

/** What a user is called in the administrators' table. First match wins. */
export function userBadge(user: Pick<User, 'id' | 'isAdmin' | 'isSuspended' | 'isVerified'>): UserBadge {
  if (isAdmin(user)) return 'admin';
  if (user.isSuspended) return 'suspended';
  return user.isVerified ? 'active' : 'unverified';
}

/** Whether `admin` may neither delete nor suspend this user: administrators, the owner, oneself. */
export function isProtectedAccount(user: { id: number; isAdmin: boolean }, adminId: number): boolean {
  return isAdmin(user) || user.id === adminId;
}
