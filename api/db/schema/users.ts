import { sql } from 'drizzle-orm';
import { type AnyPgColumn, check, index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { literals } from '#api/db/columns.ts';
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH, USERNAME_PATTERN } from '#shared/accounts/constants.ts';

const USERNAME_FORM = USERNAME_PATTERN.source.replace('+', `{${USERNAME_MIN_LENGTH},${USERNAME_MAX_LENGTH}}`);

/**
 * Accounts. `points` is the sum of the user's ledger entries at every commit and never negative. `referred_by` has no index: it
 * is searched only when a user is deleted, which is rare.
 */
export const users = pgTable(
  'users',
  (t) => ({
    id: t.integer().primaryKey().generatedByDefaultAsIdentity({ startWith: 100 }),
    username: t.text().notNull(),
    email: t.text().notNull(),
    passwordHash: t.text('password_hash').notNull(),
    points: t.integer().notNull().default(0),
    referralCode: t.text('referral_code').notNull(),
    referredBy: t.integer('referred_by').references((): AnyPgColumn => users.id, { onDelete: 'set null' }),
    isAdmin: t.boolean('is_admin').notNull().default(false),
    isSuspended: t.boolean('is_suspended').notNull().default(false),
    isVerified: t.boolean('is_verified').notNull().default(false),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    rev: t.integer().notNull().default(1),
  }),
  (table) => [
    uniqueIndex('users_username_key').on(sql`lower(${table.username})`),
    uniqueIndex('users_email_key').on(sql`lower(${table.email})`),
    uniqueIndex('users_referral_code_key').on(table.referralCode),
    index('users_search').using('gin', table.username.op('gin_trgm_ops'), table.email.op('gin_trgm_ops')),
    index('users_newest').on(table.createdAt.desc(), table.id.desc()),
    check('users_points_not_negative', sql`${table.points} >= 0`),
    check('users_not_own_referrer', sql`${table.referredBy} <> ${table.id}`),
    check('users_username_form', sql`${table.username} ~ ${literals(USERNAME_FORM)}`),
  ],
);
