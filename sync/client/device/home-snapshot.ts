import { type DeviceDb, loggedInUserId } from '#sync/client/db.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/**
 * Keeps what the Polls tab looks like to a user, as HTML, for `public/early.js` to show at the next start with the same `look`.
 * Nothing is kept for a user who is not logged in any more.
 */
export async function storeHomeSnapshot(
  device: DeviceDb,
  session: Observable<Session>,
  userId: number,
  html: string,
  look: string,
): Promise<void> {
  const current = session.get();
  if (current.status !== 'user' || current.needsLogin) return;
  await device.transaction('rw', device.entries, async () => {
    if ((await loggedInUserId(device)) !== userId) return;
    const last = await device.entries.get('homeSnapshot');
    if (last?.value === userId && last.html === html && last.look === look) return;
    await device.entries.put({ key: 'homeSnapshot', value: userId, html, look });
  });
}
