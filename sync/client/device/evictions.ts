import type { DeviceNote, Eviction } from '#sync/client/capabilities.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/**
 * Detects evictions. Each eviction is stored at once in the device note, so that it survives this tab, and reported by a
 * visible tab.
 */
export function createEvictions(deviceNote: DeviceNote, session: Observable<Session>) {
  const eviction = observable<Eviction | null>(null);
  // Read before the first request: its response marks the device as used.
  const wasUsedBefore = deviceNote.hasBeenUsed();
  // This initial value matters only in tests: a page calls `setVisible` before it starts the engine.
  let isVisible = true;

  /** Reports an eviction that any tab has detected, if this tab is visible and does not belong to another user. */
  function report(): void {
    const storedEviction = deviceNote.readEviction();
    const current = session.get();
    if (!isVisible || storedEviction === null || storedEviction === 'unclear') return;
    const isOfAnotherUser = current.status === 'user' && current.user.id !== storedEviction.userId;
    if (isOfAnotherUser || current.status === 'loading') return;
    deviceNote.noteEviction(null);
    eviction.set(storedEviction);
  }

  return {
    eviction,
    report,
    setVisible(next: boolean) {
      isVisible = next;
      report();
    },
    /**
     * To be called when the device's database is created while this tab shows no user, though one may be logged in. If the app
     * was used before, records that the browser has cleared the database. Whether a user has lost data is not clear yet.
     */
    recordCleared() {
      if (wasUsedBefore && deviceNote.readEviction() === null) deviceNote.noteEviction('unclear');
    },
    /** Returns whether the device's database was cleared (see `recordCleared`), and resets this. */
    takeCleared(): boolean {
      const isCleared = deviceNote.readEviction() === 'unclear';
      if (isCleared) deviceNote.noteEviction(null);
      return isCleared;
    },
    /**
     * Records that a user's data was evicted, unless no change was lost. If nobody is logged in (null), the user is taken from
     * the device note.
     */
    onEvicted(loggedInId: number | null) {
      const waiting = deviceNote.readWaiting();
      const userId = loggedInId ?? waiting?.userId;
      const lostChanges = waiting !== null && waiting.userId === userId ? waiting.count : null;
      if (userId !== undefined && lostChanges !== 0) {
        deviceNote.noteEviction({ userId, lostChanges });
        deviceNote.noteWaiting(userId, 0);
      }
      report();
    },
  };
}
