import { atomWithStorage } from 'jotai/utils';

/** The push switch of the settings, stored on the device only. */
export const pushEnabledAtom = atomWithStorage('notifications-push', true, undefined, { getOnInit: true });

/** The email switch of the settings, stored on the device only. */
export const emailEnabledAtom = atomWithStorage('notifications-email', true, undefined, { getOnInit: true });
