import type { DeviceNote, Eviction } from '#sync/client/capabilities.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/** Detects that the browser has evicted data. Stored at once, so that it survives this tab; reported in a visible tab. */
export function createEvictions(deviceNote: DeviceNote, session: Observable<Session>) {
  const eviction = observable<Eviction | null>(null);
  const wasUsedBefore = deviceNote.hasBeenUsed();
  // Until `setVisible` is called, before anything else.
  let isVisible = true;

  /** Reports an eviction found by any tab, if this tab is visible and does not belong to another user. */
  function report(): void {
    const stored = deviceNote.readEviction();
    const current = session.get();
    if (!isVisible || stored === null || stored === 'unclear') return;
    const isOthers = current.status === 'user' && current.user.id !== stored.userId;
    if (isOthers || current.status === 'loading') return;
    deviceNote.noteEviction(null);
    eviction.set(stored);
  }

  return {
    eviction,
    report,
    setVisible(next: boolean) {
      isVisible = next;
      report();
    },
    /** The device database was created anew with nobody logged in: it is unclear yet whether anybody has lost data. */
    noteCleared() {
      if (wasUsedBefore && deviceNote.readEviction() === null) deviceNote.noteEviction('unclear');
    },
    /** Whether the device was cleared since the last call. */
    takeCleared(): boolean {
      const isCleared = deviceNote.readEviction() === 'unclear';
      if (isCleared) deviceNote.noteEviction(null);
      return isCleared;
    },
    /** A user's data was evicted; null when nobody is logged in, so that only the device note knows whose it was. */
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
