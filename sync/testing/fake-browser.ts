import type { Capabilities, DeviceNote } from '#sync/client/capabilities.ts';
import { localLock } from '#sync/client/device/lock.ts';

/** The capabilities of a browser with one tab and unlimited storage, except clock and network. */
export const fakeBrowser: Omit<Capabilities, 'clock' | 'transport'> = {
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

/** A device note whose count of waiting changes is `waiting` at first. */
export function fakeDeviceNote({
  hasBeenUsed = false,
  waiting = null as ReturnType<DeviceNote['readWaiting']>,
} = {}): DeviceNote {
  let storedWaiting = waiting;
  let storedEviction: ReturnType<DeviceNote['readEviction']> = null;
  return {
    hasBeenUsed: () => hasBeenUsed,
    mayHaveSession: () => true,
    readWaiting: () => storedWaiting,
    noteWaiting(userId, count) {
      storedWaiting = { userId, count };
    },
    readEviction: () => storedEviction,
    noteEviction(eviction) {
      storedEviction = eviction;
    },
  };
}
