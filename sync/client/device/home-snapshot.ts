import { type DeviceDb, loggedInUserId } from '#sync/client/db.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/**
 * Keeps what the Polls tab looks like, as HTML, for `public/early.js` to show at the next start with the same `look`. Nothing is kept for a user who
 * has been logged out meanwhile.
 */
export async function storeHomeSnapshot(
  device: DeviceDb,
  session: Observable<Session>,
  html: string,
  look: string,
): Promise<void> {
  const current = session.get();
  if (current.status !== 'user' || current.needsLogin) return;
  const userId = current.user.id;
  await device.transaction('rw', device.entries, async () => {
    if ((await loggedInUserId(device)) !== userId) return;
    await device.entries.put({ key: 'homeSnapshot', value: userId, html, look });
  });
}
