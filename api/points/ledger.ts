import type { Handle } from '#api/db/client.ts';
import type { users } from '#api/db/schema/users.ts';
import type { PointReason } from '#shared/points/constants.ts';

type PointEntry = {
  userId: number;
  /** Whole points, positive or negative, never 0. */
  delta: number;
  reason: PointReason;
  /** Identifies the event (`vote:<poll id>`). Each source changes a user's balance only once. */
  source: string;
};

/** A user's balance after a change, with the new `rev` of the user. */
export type Balance = Pick<typeof users.$inferSelect, 'points' | 'rev'>;

/**
 * Adds a ledger entry and changes the balance in one statement, which the builder cannot express. Returns the new balance.
 * Changes nothing and returns null if the user has an entry with this source already, the balance would become negative, or the
 * user does not exist.
 *
 * Locks the user with `for no key update`, which foreign key checks do not wait for. A stronger lock would deadlock two
 * transactions that both reference the user before they credit them.
 */
export async function creditPoints(handle: Handle, entry: PointEntry): Promise<Balance | null> {
  const [row] = await handle.sql<[Balance?]>`
    with payable as (
      select id from users
      where id = ${entry.userId} and points + ${entry.delta}::int >= 0
        and not exists (select from point_entries where user_id = ${entry.userId} and source = ${entry.source})
      for no key update
    ), entry as (
      insert into point_entries (user_id, delta, reason, source)
      select id, ${entry.delta}, ${entry.reason}, ${entry.source} from payable
      on conflict (user_id, source) do nothing
      returning user_id
    )
    update users set points = points + ${entry.delta}, rev = rev + 1
    where id = (select user_id from entry)
    returning points, rev`;
  return row ?? null;
}
