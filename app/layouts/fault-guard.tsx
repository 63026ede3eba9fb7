import { useAtomValue } from 'jotai';
import { type ReactNode, useEffect } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { useResetAfterFault } from '#app/lib/fault-reset.ts';
import { faultAtom, putFaultAway, showFault } from '#app/lib/faults.ts';
import { ApplicationError } from './application-error.tsx';

/** The app, and above it the application-error screen; what was on the screen stays for Try Again. */
export function FaultGuard({ children }: { children: ReactNode }) {
  const fault = useAtomValue(faultAtom);
  return (
    <>
      <ErrorBoundary FallbackComponent={NothingDrawn}>{children}</ErrorBoundary>
      {fault !== 'none' && <ApplicationError isCounting={fault === 'counting'} onTryAgain={putFaultAway} />}
    </>
  );
}

function NothingDrawn({ resetErrorBoundary }: FallbackProps) {
  useEffect(showFault, []);
  useResetAfterFault(resetErrorBoundary);
  return null;
}
