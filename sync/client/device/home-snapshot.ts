import { type DeviceDb, loggedInUserId } from '#sync/client/db.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/**
 * Stores the HTML of a user's Polls tab, unless the user is no longer logged in. `public/early.js` shows it at the next start
 * if `look` is the same.
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
