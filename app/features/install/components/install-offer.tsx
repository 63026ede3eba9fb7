import { useAtom } from 'jotai';
import { lazy, useEffect } from 'react';
import { watchForInstallOffer } from '#app/features/install/actions.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { installWayState, isInstallSheetOpenAtom } from '#app/lib/install/install-way.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';

const InstallSheet = lazy(() => import('./install-sheet.tsx'));

/** Offers to install the app after the third vote, and shows the sheet while it is open. */
export function InstallOffer() {
  const way = useObservable(installWayState);
  const [isOpen, setOpen] = useAtom(isInstallSheetOpenAtom);
  useEffect(watchForInstallOffer, []);
  if (!isOpen || way === null) return null;
  return (
    <LazyBoundary onError={() => setOpen(false)}>
      <InstallSheet way={way} onClose={() => setOpen(false)} />
    </LazyBoundary>
  );
}
