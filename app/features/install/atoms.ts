import { atomWithStorage } from 'jotai/utils';

/** What this device has seen of the offer: the votes until then, and whether it was made. */
export type InstallOffer = { votes: number; isMade: boolean };

export const installOfferAtom = atomWithStorage<InstallOffer>(
  'install-offer',
  { votes: 0, isMade: false },
  undefined,
  { getOnInit: true },
);
