import { atomWithStorage } from 'jotai/utils';

/** Whether this device wants to be told of news; kept on the device alone. */
export const pushWantedAtom = atomWithStorage('notifications-push', true, undefined, { getOnInit: true });

/** Whether the person wants mails about news; kept on the device alone. */
export const emailWantedAtom = atomWithStorage('notifications-email', true, undefined, { getOnInit: true });
