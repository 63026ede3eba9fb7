import { Ban, Flag, Share2 } from 'lucide-react';
import { lazy, type RefObject, useState } from 'react';
import { blockMaker } from '#app/features/polls/actions.ts';
import { useMakerItems } from '#app/features/polls/components/maker/maker-items.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
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

/** The menu of a poll: Share; for the maker Close early, Ask again and Results as CSV, for other users Report and Block. */
export default function PollMenu({ id, view: { poll }, button, onToggle }: Props) {
  const [isReporting, setReporting] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const makerName = poll.isMine ? undefined : poll.user?.username;
  const items: MenuItem[] = [{ icon: Share2, label: 'Share', onSelect: () => setSharing(true) }];
  const makerMenu = useMakerItems(poll);
  if (poll.isMine) items.push(...makerMenu.items);
  else items.push({ icon: Flag, label: 'Report', onSelect: () => setReporting(true) });
  if (makerName !== undefined) {
    const onSelect = () => void blockMaker(makerName, poll.id);
    items.push({ icon: Ban, label: `Block ${makerName}`, isDestructive: true, onSelect });
  }
  return (
    <>
      <PopupMenu id={id} label="Poll" items={items} button={button} opensOnMount onToggle={onToggle} />
      {isSharing && (
        <LazyBoundary onError={() => setSharing(false)}>
          <ShareDialog poll={poll} onClose={() => setSharing(false)} />
        </LazyBoundary>
      )}
      {makerMenu.dialogs}
      {isReporting && <ReportDialog poll={poll} onClose={() => setReporting(false)} />}
    </>
  );
}
