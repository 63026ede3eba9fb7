import { useAtomValue } from 'jotai';
import { connectionAtom } from './engine.ts';
import { useOnline } from './online.ts';

/** False while the server is known to be out of reach: a hint for words, never a gate. */
export function useReachable(): boolean {
  const online = useOnline();
  const { phase } = useAtomValue(connectionAtom);
  return online && phase !== 'disconnected' && phase !== 'failed';
}
