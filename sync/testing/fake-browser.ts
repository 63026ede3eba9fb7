import type { Capabilities, DeviceNote } from '#sync/client/capabilities.ts';
import { localLock } from '#sync/client/device/lock.ts';

/** The capabilities of a browser with one tab and unlimited storage, except clock and network. */
export const fakeBrowser: Omit<Capabilities, 'clock' | 'transport' | 'lock'> & {
  lock: Capabilities['lock'];
} = {
  lock: localLock(),
  tabs: { announce() {}, listen() {} },
  storage: { persist: async () => {}, freeBytes: async () => null, dropImages: async () => {} },
  openSocket: () => ({ send() {}, close() {} }),
  requestBackgroundDrain() {},
  deviceNote: {
    hasBeenUsed: () => false,
    mayHaveSession: () => true,
    readWaiting: () => null,
    noteWaiting() {},
    readEviction: () => null,
    noteEviction() {},
  },
  isOnline: () => true,
  databasePrefix: 'this-or-that',
  random: () => 0.5,
};

/** A device note that initially contains `waiting`. */
export function fakeDeviceNote(
  hasBeenUsed = false,
  waiting: ReturnType<DeviceNote['readWaiting']> = null,
): DeviceNote {
  let noted = waiting;
  let evicted: ReturnType<DeviceNote['readEviction']> = null;
  return {
    hasBeenUsed: () => hasBeenUsed,
    mayHaveSession: () => true,
    readWaiting: () => noted,
    noteWaiting(userId, count) {
      noted = { userId, count };
    },
    readEviction: () => evicted,
    noteEviction(eviction) {
      evicted = eviction;
    },
  };
}
