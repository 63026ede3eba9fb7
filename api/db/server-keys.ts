import type { Handle } from './client.ts';
import { serverState } from './schema/server-state.ts';

/** Reads the keys of share links and of links to unsubscribe from the weekly mail, each a UUID. */
export async function readServerKeys({ orm }: Handle) {
  const { shareKey, unsubscribeKey } = serverState;
  const [keys] = await orm.select({ shareKey, unsubscribeKey }).from(serverState);
  if (keys === undefined) throw new Error('The row of server_state is missing.');
  return keys;
}
