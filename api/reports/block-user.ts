import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { userBlocks } from '#api/db/schema/reports.ts';
import { users } from '#api/db/schema/users.ts';
import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { BLOCKS_MAX } from '#shared/reports/constants.ts';
import { performOnce } from './perform-once.ts';
import { setHidesPolls } from './queries.ts';

type BlockCall = { user: UserRow; key: string | null; username: string };

const hasName = (username: string) => eq(sql`lower(${users.username})`, username.toLowerCase());

async function hasBlocked({ orm }: Handle, userId: number, username: string): Promise<boolean> {
  const rows = await orm
    .select({ id: users.id })
    .from(userBlocks)
    .innerJoin(users, eq(users.id, userBlocks.blockedId))
    .where(and(eq(userBlocks.userId, userId), hasName(username)));
  return rows.length > 0;
}

/**
 * Blocks a user, so that the blocker no longer sees their polls. Throws `not_found`, `own_account` or `block_limit`, and what
 * `performOnce` throws.
 */
export async function blockUser(
  deps: Pick<AppDeps, 'db' | 'limits'>,
  { user, key, username }: BlockCall,
): Promise<void> {
  const { code } = await performOnce(deps, {
    user,
    key,
    route: 'block',
    pollId: null,
    parts: [username.toLowerCase()],
    isDone: (handle) => hasBlocked(handle, user.id, username),
    async perform(tx) {
      // The lock keeps the account from being deleted before the block is stored.
      const [blocked] = await tx.orm
        .select({ id: users.id })
        .from(users)
        .where(hasName(username))
        .for('key share');
      if (blocked === undefined) return 'not_found';
      if (blocked.id === user.id) return 'own_account';
      // Serialises the blocks of a user, so that each one counts those before it.
      await tx.orm.select({ id: users.id }).from(users).where(eq(users.id, user.id)).for('no key update');
      const others = and(eq(userBlocks.userId, user.id), ne(userBlocks.blockedId, blocked.id));
      if ((await tx.orm.$count(userBlocks, others)) >= BLOCKS_MAX) return 'block_limit';
      await tx.orm
        .insert(userBlocks)
        .values({ userId: user.id, blockedId: blocked.id })
        .onConflictDoNothing();
      await setHidesPolls(tx, user.id);
      return null;
    },
  });
  if (code === 'not_found') throw new AppError(code, { message: 'There is no user with this name.' });
  if (code !== null) throw new AppError(code);
}

/** Unblocks a user, so that their polls are shown again. Throws what `performOnce` throws. */
export async function unblockUser(
  deps: Pick<AppDeps, 'db' | 'limits'>,
  { user, key, username }: BlockCall,
): Promise<void> {
  await performOnce(deps, {
    user,
    key,
    route: 'unblock',
    pollId: null,
    parts: [username.toLowerCase()],
    isDone: async (handle) => !(await hasBlocked(handle, user.id, username)),
    async perform({ orm }) {
      const named = orm.select({ id: users.id }).from(users).where(hasName(username));
      await orm
        .delete(userBlocks)
        .where(and(eq(userBlocks.userId, user.id), inArray(userBlocks.blockedId, named)));
      return null;
    },
  });
}
