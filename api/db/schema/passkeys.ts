import { sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, instant, literals } from '#api/db/columns.ts';
import { sessions } from './sessions.ts';
import { userIdColumn, users } from './users.ts';

/** Passkeys of users (WebAuthn credentials). Their private keys never leave the devices. */
export const passkeys = pgTable(
  'passkeys',
  (t) => ({
    /** The id of the passkey in API calls. */
    id: t.uuid().primaryKey().defaultRandom(),
    userId: userIdColumn(),
    /** Base64url, as is the public key (COSE). */
    credentialId: t.text('credential_id').notNull().unique(),
    publicKey: t.text('public_key').notNull(),
    /** The passkey's own count of its uses; always 0 for passkeys that are synchronised between devices. */
    counter: t.bigint({ mode: 'number' }).notNull(),
    /** The ways in which browsers reach the passkey, joined by commas, such as `internal,hybrid`. */
    transports: t.text().notNull().default(''),
    name: t.text().notNull(),
    isBackedUp: t.boolean('is_backed_up').notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant('last_used_at'),
  }),
  (table) => [index('passkeys_user').on(table.userId)],
);

/** `ticket` is no challenge: it proves that the password of a login was right. */
const CHALLENGE_PURPOSES = ['login', 'ticket', 'second-step', 'add', 'confirm'] as const;
type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];

/**
 * Challenges for passkeys to sign, each for one purpose and one use. Only the SHA-256 (hex) is stored. The challenge of a login
 * belongs to no user yet; all others belong to a user, and those for `add` and `confirm` also to a session.
 */
export const passkeyChallenges = pgTable(
  'passkey_challenges',
  (t) => ({
    hash: t.text().primaryKey(),
    purpose: t.text().$type<ChallengePurpose>().notNull(),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    sessionHash: t.text('session_hash').references(() => sessions.tokenHash, { onDelete: 'cascade' }),
    expiresAt: instant('expires_at').notNull(),
  }),
  (table) => [
    index('passkey_challenges_user').on(table.userId),
    index('passkey_challenges_session').on(table.sessionHash),
    index('passkey_challenges_expiry').on(table.expiresAt),
    check(
      'passkey_challenges_bound',
      sql`${table.purpose} in (${literals(...CHALLENGE_PURPOSES)})
        and (${table.userId} is null) = (${table.purpose} = 'login')
        and (${table.sessionHash} is not null) = (${table.purpose} in ('add', 'confirm'))`,
    ),
  ],
);

/**
 * Unused recovery codes: a row is deleted when its code is used. Only bcrypt hashes are stored; those of a user that were made
 * together have the same salt, so that a code has to be hashed only once to find it.
 */
export const recoveryCodes = pgTable(
  'recovery_codes',
  (t) => ({
    codeHash: t.text('code_hash').primaryKey(),
    userId: userIdColumn(),
    createdAt: createdAt(),
  }),
  (table) => [index('recovery_codes_user').on(table.userId)],
);
