import { type Observable, observable } from '#sync/client/observable.ts';
import type { DeviceNote, Eviction, Session } from '#sync/client/types.ts';

/** What the browser removes from this device: noted at once, so that it outlives this tab, and told where it is seen. */
export function createEvictions(deviceNote: DeviceNote, session: Observable<Session>) {
  const eviction = observable<Eviction | null>(null);
  const wasUsedBefore = deviceNote.hasBeenUsed();
  // A page says before anything else when it cannot be seen.
  let isSeen = true;

  /** Tells what was noted here or in another tab, in a tab that can be seen and does not belong to somebody else. */
  function tell(): void {
    const noted = deviceNote.readEviction();
    const current = session.get();
    if (!isSeen || noted === null || noted === 'unclear') return;
    const isOthers = current.status === 'user' && current.user.id !== noted.userId;
    if (isOthers || current.status === 'loading') return;
    deviceNote.noteEviction(null);
    eviction.set(noted);
  }

  return {
    eviction,
    tell,
    setVisible(isVisible: boolean) {
      isSeen = isVisible;
      tell();
    },
    /** The device turns out to know nothing; with nobody signed in here it is not known yet whether anybody lost something. */
    noteCleared() {
      if (wasUsedBefore && deviceNote.readEviction() === null) deviceNote.noteEviction('unclear');
    },
    /** Whether the device was cleared since somebody last asked. */
    takeCleared(): boolean {
      const isCleared = deviceNote.readEviction() === 'unclear';
      if (isCleared) deviceNote.noteEviction(null);
      return isCleared;
    },
    /** The data of a user was removed; null where nobody is signed in, and only the note can tell whose it was. */
    onEvicted(signedInId: number | null) {
      const waiting = deviceNote.readWaiting();
      const userId = signedInId ?? waiting?.userId;
      const lostChanges = waiting !== null && waiting.userId === userId ? waiting.count : null;
      if (userId !== undefined && lostChanges !== 0) {
        deviceNote.noteEviction({ userId, lostChanges });
        deviceNote.noteWaiting(userId, 0);
      }
      tell();
    },
  };
}
