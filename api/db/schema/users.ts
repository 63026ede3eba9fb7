import { sql } from 'drizzle-orm';
import { type AnyPgColumn, check, index, integer, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, instant, literals } from '#api/db/columns.ts';
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH, USERNAME_PATTERN } from '#shared/accounts/constants.ts';
import { type DeletionInput, deletionInputSchema } from '#shared/accounts/schema.ts';

/** The pattern of usernames including the limits of their length. */
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
    /** The address of the sign-up; replaced when the link in a mail to a new address is opened. */
    email: t.text().notNull(),
    /** A requested address that is not confirmed yet. Several users may have requested the same address. */
    pendingEmail: t.text('pending_email'),
    passwordHash: t.text('password_hash').notNull(),
    points: t.integer().notNull().default(0),
    referralCode: t.text('referral_code').notNull(),
    referredBy: t.integer('referred_by').references((): AnyPgColumn => users.id, { onDelete: 'set null' }),
    isAdmin: t.boolean('is_admin').notNull().default(false),
    isSuspended: t.boolean('is_suspended').notNull().default(false),
    isVerified: t.boolean('is_verified').notNull().default(false),
    /** Whether a login by password asks for a passkey, or a recovery code; only for users with a passkey. */
    secondStep: t.boolean('second_step').notNull().default(false),
    /** When the second step was switched on; null if it is off, or was switched on before this column existed. */
    secondStepSince: instant('second_step_since'),
    /** Whether the user has ever blocked somebody or reported a poll: only then their feed is read separately. */
    hidesPolls: t.boolean('hides_polls').notNull().default(false),
    /**
     * Whether the user gets the weekly mail once their email is verified, and when the last weekly mail was queued (or the
     * account created).
     */
    wantsDigest: t.boolean('wants_digest').notNull().default(true),
    digestAt: instant('digest_at').notNull().defaultNow(),
    /** When the account will be deleted at its user's request, and what will happen to its polls. */
    deletionDueAt: instant('deletion_due_at'),
    deletionPolls: t.text('deletion_polls').$type<DeletionInput['polls']>(),
    createdAt: createdAt(),
    rev: t.integer().notNull().default(1),
  }),
  (table) => [
    uniqueIndex('users_username_key').on(sql`lower(${table.username})`),
    uniqueIndex('users_email_key').on(sql`lower(${table.email})`),
    uniqueIndex('users_referral_code_key').on(table.referralCode),
    index('users_search').using('gin', table.username.op('gin_trgm_ops'), table.email.op('gin_trgm_ops')),
    index('users_newest').on(table.createdAt.desc(), table.id.desc()),
    index('users_digest').on(table.digestAt).where(sql`${table.isVerified} and ${table.wantsDigest}`),
    index('users_deletion').on(table.deletionDueAt).where(sql`${table.deletionDueAt} is not null`),
    check(
      'users_deletion_whole',
      sql`(${table.deletionDueAt} is null) = (${table.deletionPolls} is null)
        and ${table.deletionPolls} in (${literals(...deletionInputSchema.shape.polls.options)})`,
    ),
    check('users_points_not_negative', sql`${table.points} >= 0`),
    check('users_not_own_referrer', sql`${table.referredBy} <> ${table.id}`),
    check('users_username_form', sql`${table.username} ~ ${literals(USERNAME_FORM)}`),
  ],
);

/** The column of the user to whom a row belongs. The row is deleted with the user. */
export const userIdColumn = () =>
  integer('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });
