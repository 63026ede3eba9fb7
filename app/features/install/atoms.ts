import { atomWithStorage } from 'jotai/utils';

/** The state of the offer on this device: the number of votes before it, and whether it was made. */
export const installOfferAtom = atomWithStorage('install-offer', { votes: 0, isMade: false }, undefined, {
  getOnInit: true,
});
