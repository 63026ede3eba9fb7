import { sql } from 'drizzle-orm';
import type { Handle } from './client.ts';
import { serverState } from './schema/server-state.ts';

/** Gives the database a new epoch (a UUID) and returns it: devices discard what they cached under the old one. */
export async function renewEpoch({ orm }: Handle): Promise<string> {
  const [row] = await orm
    .update(serverState)
    .set({ epoch: sql`gen_random_uuid()` })
    .returning({ epoch: serverState.epoch });
  if (row === undefined) throw new Error('The row of server_state is missing.');
  return row.epoch;
}
