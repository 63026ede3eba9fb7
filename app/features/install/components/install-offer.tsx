import { useAtom } from 'jotai';
import { lazy, useEffect } from 'react';
import { watchForInstallOffer } from '#app/features/install/actions.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { installMethodState, isInstallSheetOpenAtom } from '#app/lib/install/install-method.ts';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';

const InstallSheet = lazy(() => import('./install-sheet.tsx'));

/** Offers to install the app after the third vote, and shows the sheet while it is open. */
export function InstallOffer() {
  const method = useObservable(installMethodState);
  const [isOpen, setOpen] = useAtom(isInstallSheetOpenAtom);
  useEffect(watchForInstallOffer, []);
  if (!isOpen || method === null) return null;
  return (
    <LazyDialog onClose={() => setOpen(false)}>
      <InstallSheet method={method} onClose={() => setOpen(false)} />
    </LazyDialog>
  );
}
