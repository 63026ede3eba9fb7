import type { Handle } from './client.ts';

/** Gives the database a new epoch (a UUID) and returns it: what devices know of the former one is void. */
export async function renewEpoch({ sql }: Handle): Promise<string> {
  const [row] = await sql<[{ epoch: string }]>`
    update server_state set epoch = gen_random_uuid() where id = 1 returning epoch`;
  return row.epoch;
}
