import type { users } from '#api/db/schema/users.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { isAdmin } from '#shared/auth/rules.ts';
import type { User } from '#shared/auth/schema.ts';

export type UserRow = Omit<typeof users.$inferSelect, 'passwordHash' | 'referredBy'>;

/** A row of `users` in the shape that the user themself and administrators see. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    points: row.points,
    referralCode: row.referralCode,
    isAdmin: isAdmin(row),
    isSuspended: row.isSuspended,
    isVerified: row.isVerified,
    createdAt: toIsoDate(row.createdAt),
    rev: row.rev,
  };
}
