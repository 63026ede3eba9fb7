import { isNull } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { serverState } from '#api/db/schema/server-state.ts';
import { newVapidKey, toVapidKeys, type VapidKeys } from './vapid.ts';

/** Reads the VAPID keys from the database, and creates them at the first start. */
export async function readVapidKeys({ orm }: Handle): Promise<VapidKeys> {
  await orm.update(serverState).set({ vapidKey: newVapidKey() }).where(isNull(serverState.vapidKey));
  const [row] = await orm.select({ key: serverState.vapidKey }).from(serverState);
  if (row?.key == null) throw new Error('The row of server_state is missing.');
  return toVapidKeys(row.key);
}
