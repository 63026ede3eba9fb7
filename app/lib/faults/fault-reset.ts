import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { faultAtom } from './faults.ts';

/** Calls `reset` when the application-error screen is put away: what broke is drawn again. */
export function useResetAfterFault(reset: () => void): void {
  const fault = useAtomValue(faultAtom);
  const wasShown = useRef(false);
  useEffect(() => {
    if (fault !== 'none') wasShown.current = true;
    else if (wasShown.current) reset();
  }, [fault, reset]);
}
