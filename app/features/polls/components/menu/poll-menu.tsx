import { Ban, Flag, Share2 } from 'lucide-react';
import { lazy, type RefObject, useState } from 'react';
import { blockMaker } from '#app/features/polls/actions.ts';
import { useMakerActions } from '#app/features/polls/components/maker/maker-actions.tsx';
import { useReachable } from '#app/lib/engine/online.ts';
import { showToast } from '#app/lib/toasts.ts';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';
import { type MenuItem, PopupMenu } from '#app/ui/popup-menu.tsx';
import type { PollView } from '#sync/operations/operation.ts';
import { ReportDialog } from './report-dialog.tsx';

const ShareDialog = lazy(() => import('#app/features/polls/components/share/share-dialog.tsx'));

type Props = {
  id: string;
  view: PollView;
  button: RefObject<HTMLButtonElement | null>;
  onToggle(isOpen: boolean): void;
};

/** The menu of a poll: Share; for other users Report and Block, for the maker the actions of `useMakerActions`. */
export default function PollMenu({ id, view: { poll }, button, onToggle }: Props) {
  const [isReporting, setReporting] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const isReachable = useReachable();
  const { actions, dialogs } = useMakerActions(poll);
  const items: MenuItem[] = [{ icon: Share2, label: 'Share', onSelect: () => setSharing(true) }];
  if (poll.isMine) {
    const showOfflineToast = () => showToast('error', 'Needs a connection', null, { topic: 'maker' });
    for (const action of actions) {
      const { icon, label, needsServer } = action;
      items.push(needsServer && !isReachable ? { icon, label, onSelect: showOfflineToast } : action);
    }
  } else {
    items.push({ icon: Flag, label: 'Report', onSelect: () => setReporting(true) });
    const makerName = poll.user?.username;
    if (makerName !== undefined) {
      const onSelect = () => void blockMaker(makerName, poll.id);
      items.push({ icon: Ban, label: `Block ${makerName}`, isDestructive: true, onSelect });
    }
  }
  return (
    <>
      <PopupMenu id={id} label="Poll" items={items} button={button} opensOnMount onToggle={onToggle} />
      {isSharing && (
        <LazyDialog onClose={() => setSharing(false)}>
          <ShareDialog poll={poll} onClose={() => setSharing(false)} />
        </LazyDialog>
      )}
      {dialogs}
      {isReporting && <ReportDialog poll={poll} onClose={() => setReporting(false)} />}
    </>
  );
}
