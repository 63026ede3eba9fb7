import type { Handle } from '#api/db/client.ts';
import { closeSession } from '#api/services/sessions.ts';

/** Ends this session only. Without one there is nothing to do. */
export async function logOut(handle: Handle, sessionToken: string | null): Promise<void> {
  if (sessionToken !== null) await closeSession(handle, sessionToken);
}
