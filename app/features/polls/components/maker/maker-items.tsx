import { Download, Flag, Repeat } from 'lucide-react';
import { lazy, useState } from 'react';
import { useAskAgain } from '#app/features/polls/hooks/use-ask-again.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { showToast } from '#app/lib/toasts.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import type { MenuItem } from '#app/ui/popup-menu.tsx';
import { buildPath } from '#shared/contract.ts';
import { readResultsCsv } from '#shared/polls/contract.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { CopyConflictDialog } from './copy-conflict.tsx';

const CloseDialog = lazy(() => import('./close-dialog.tsx'));

/** The items that makers have in the menu of their poll, and the dialogs that these items open. */
export function useMakerItems(poll: Poll) {
  const isReachable = useReachable();
  const askAgainFlow = useAskAgain(poll);
  const [isClosing, setClosing] = useState(false);
  const showOfflineToast = () => showToast('error', 'Needs a connection', null, { topic: 'maker' });
  const closeItem: MenuItem = {
    icon: Flag,
    label: 'Close early',
    onSelect: () => (isReachable ? setClosing(true) : showOfflineToast()),
  };
  const csvItem = { icon: Download, label: 'Results as CSV' };
  const items: MenuItem[] = [
    ...(poll.status === 'active' ? [closeItem] : []),
    { icon: Repeat, label: 'Ask again', onSelect: askAgainFlow.askAgain },
    isReachable
      ? { ...csvItem, href: buildPath(readResultsCsv, { params: { id: poll.id } }), isDownload: true }
      : { ...csvItem, onSelect: showOfflineToast },
  ];
  const dialogs = (
    <>
      {isClosing && (
        <LazyBoundary onError={() => setClosing(false)}>
          <CloseDialog poll={poll} onClose={() => setClosing(false)} />
        </LazyBoundary>
      )}
      <CopyConflictDialog {...askAgainFlow} />
    </>
  );
  return { items, dialogs };
}
