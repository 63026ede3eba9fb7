import { sql } from 'drizzle-orm';
import type { Handle } from './client.ts';
import { serverState } from './schema/server-state.ts';

/** More than the number of notifications that any server has written since its backup. */
const ID_JUMP = 1_000_000_000;

/**
 * Gives the database a new epoch (a UUID) and returns it: devices discard what they cached under the old epoch. The ids of new
 * notifications are far above those of the lost history, since a device may still mark as read all notifications up to a lost
 * id.
 */
export async function renewEpoch({ orm, sql: query }: Handle): Promise<string> {
  await query`
    select setval(name, nextval(name) + ${ID_JUMP}) from pg_get_serial_sequence('notifications', 'id') name`;
  const [row] = await orm
    .update(serverState)
    .set({ epoch: sql`gen_random_uuid()`, epochBeganAt: sql`now()` })
    .returning({ epoch: serverState.epoch });
  if (row === undefined) throw new Error('The row of server_state is missing.');
  return row.epoch;
}
