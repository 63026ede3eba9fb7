import { isAdmin } from '#shared/accounts/rules.ts';
import type { User } from '#shared/accounts/schema.ts';

export type UserBadge = 'admin' | 'suspended' | 'active' | 'unverified';

/** The status badge of a user in the admin table: the first that applies. */
export function userBadge(user: Pick<User, 'id' | 'isAdmin' | 'isSuspended' | 'isVerified'>): UserBadge {
  if (isAdmin(user)) return 'admin';
  if (user.isSuspended) return 'suspended';
  return user.isVerified ? 'active' : 'unverified';
}

/** Whether the administrator `adminId` cannot delete or suspend this user: an administrator, the owner, or themselves. */
export function isProtectedAccount(user: { id: number; isAdmin: boolean }, adminId: number): boolean {
  return isAdmin(user) || user.id === adminId;
}
