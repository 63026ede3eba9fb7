import { sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import { literals } from '#api/db/columns.ts';
import { sessions } from './sessions.ts';
import { users } from './users.ts';

/** `ticket` is no challenge: it proves that the password of a login was right. */
const CHALLENGE_PURPOSES = ['login', 'ticket', 'second-step', 'add', 'confirm'] as const;
type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];

/**
 * What passkeys are asked to sign, each for one purpose and one use. Only the SHA-256 (hex) is stored. A login is nobody's yet;
 * all others belong to a user, and those within a session to that session, too.
 */
export const passkeyChallenges = pgTable(
  'passkey_challenges',
  (t) => ({
    hash: t.text().primaryKey(),
    purpose: t.text().$type<ChallengePurpose>().notNull(),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    sessionHash: t.text('session_hash').references(() => sessions.tokenHash, { onDelete: 'cascade' }),
    expiresAt: t.timestamp('expires_at', { withTimezone: true, mode: 'string' }).notNull(),
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
