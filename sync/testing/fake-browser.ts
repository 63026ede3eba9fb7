import { localLock } from '#sync/client/device/lock.ts';
import type { Capabilities } from '#sync/client/types.ts';

/** The abilities of a browser with one tab and endless room, but for its clock and network. */
export const fakeBrowser: Omit<Capabilities, 'clock' | 'transport' | 'lock'> & {
  lock: Capabilities['lock'];
} = {
  lock: localLock(),
  tabs: { announce() {}, listen() {} },
  storage: { persist: async () => {}, freeBytes: async () => null, dropPictures: async () => {} },
  openSocket: () => ({ send() {}, close() {} }),
  requestBackgroundDrain() {},
  deviceNote: { hasBeenUsed: () => false, readWaiting: () => null, noteWaiting() {} },
  isOnline: () => true,
  databasePrefix: 'this-or-that',
  random: () => 0.5,
};
