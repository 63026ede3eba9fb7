import { CircleStop, Download, Repeat, Trash2 } from 'lucide-react';
import { lazy, useState } from 'react';
import DraftConflictDialog from '#app/features/polls/components/create/draft-conflict.tsx';
import { useAskAgain } from '#app/features/polls/hooks/use-ask-again.ts';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';
import type { MenuItem } from '#app/ui/popup-menu.tsx';
import { buildPath } from '#shared/contract.ts';
import { readResultsCsv } from '#shared/polls/contract.ts';
import { refundOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';

const CloseDialog = lazy(() => import('./close-dialog.tsx'));
const DeleteDialog = lazy(() => import('./delete-dialog.tsx'));

/** An item of the menu, and a row below the poll, where `note` explains it. */
export type MakerAction = MenuItem & { note: string; needsServer?: boolean };

/** What makers can do with their poll, and the dialogs that these actions open. */
export function useMakerActions(poll: Poll) {
  const { askAgain, isBusy, conflict, replace, keep } = useAskAgain(poll);
  const [isClosing, setClosing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const closeAction: MakerAction = {
    icon: CircleStop,
    label: 'Close early',
    note: closingNote(poll),
    needsServer: true,
    onSelect: () => setClosing(true),
  };
  const actions: MakerAction[] = [
    ...(poll.status === 'active' ? [closeAction] : []),
    { icon: Repeat, label: 'Ask again', note: 'The same poll as a new draft', isBusy, onSelect: askAgain },
    {
      icon: Download,
      label: 'Results as CSV',
      note: 'Votes by hour, without names',
      needsServer: true,
      href: buildPath(readResultsCsv, { params: { id: poll.id } }),
      isDownload: true,
    },
    {
      icon: Trash2,
      label: 'Delete poll',
      note: 'For everyone and for good',
      isDestructive: true,
      needsServer: true,
      onSelect: () => setDeleting(true),
    },
  ];
  const dialogs = (
    <>
      {isClosing && (
        <LazyDialog onClose={() => setClosing(false)}>
          <CloseDialog poll={poll} onClose={() => setClosing(false)} />
        </LazyDialog>
      )}
      {isDeleting && (
        <LazyDialog onClose={() => setDeleting(false)}>
          <DeleteDialog poll={poll} onClose={() => setDeleting(false)} />
        </LazyDialog>
      )}
      {conflict !== null && (
        <DraftConflictDialog
          draft={conflict}
          replacement="A copy of this poll"
          replaceLabel="Ask again"
          onReplace={replace}
          onKeep={keep}
          onClose={keep}
        />
      )}
    </>
  );
  return { actions, dialogs };
}

function closingNote(poll: Poll): string {
  const refund = refundOf(poll);
  if (refund === 0) return 'The result is shown to everyone';
  if (refund === 1) return '1 unused vote comes back as a point';
  return `${refund} unused votes come back as points`;
}
