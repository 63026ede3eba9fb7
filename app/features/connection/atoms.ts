import { atom } from 'jotai';
import { connectionAtom } from '#app/lib/engine.ts';

/** True once the person has put the card away, until the trouble is over. */
export const putAwayAtom = atom(false);

/** How many changes wait to be sent, as the card last read it: the header has no database at hand. */
export const waitingAtom = atom(0);

/** Whether the server is out of reach and the card that says so was put away. */
export const chipShownAtom = atom((get) => {
  const { phase } = get(connectionAtom);
  return get(putAwayAtom) && (phase === 'disconnected' || phase === 'failed');
});
