import { Ban, Check, ExternalLink, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deletePoll, setActive } from '#app/features/admin/actions.ts';
import { ConfirmDialog } from '#app/features/admin/components/confirm-dialog.tsx';
import { BulkUpload } from '#app/features/admin/components/jobs/bulk-upload.tsx';
import { SamplePollsPanel } from '#app/features/admin/components/jobs/sample-polls.tsx';
import { ListState } from '#app/features/admin/components/list-state.tsx';
import { RowMenu } from '#app/features/admin/components/row-menu.tsx';
import { useList } from '#app/features/admin/hooks/use-list.ts';
import { fetchPolls } from '#app/features/admin/queries.ts';
import { useIsDesktop } from '#app/lib/media.ts';
import { paths } from '#app/paths.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { PollCards, PollTable } from './poll-rows.tsx';

export function PollsTab({ typed }: { typed: string }) {
  return (
    <>
      <PollList typed={typed} />
      <div className="grid items-start gap-2.5 pt-5 md:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)] md:gap-5">
        <BulkUpload />
        <SamplePollsPanel />
      </div>
    </>
  );
}

function PollList({ typed }: { typed: string }) {
  const list = useList('polls', fetchPolls, typed);
  const isDesktop = useIsDesktop();
  const [pendingDelete, setPendingDelete] = useState<Poll | null>(null);

  async function activate(poll: Poll, isActive: boolean) {
    const updated = await setActive(poll, isActive);
    if (updated === null) return;
    if (updated === 'gone') return list.reload();
    list.change((page) => ({
      ...page,
      polls: page.polls.map((each) => (each.id === updated.id ? updated : each)),
    }));
  }

  function renderMenu(poll: Poll) {
    return (
      <RowMenu
        label={`Actions for ${poll.question}`}
        items={[
          { icon: ExternalLink, label: 'Open poll', href: paths.poll.href(poll.id) },
          poll.active
            ? { icon: Ban, label: 'Deactivate', onSelect: () => void activate(poll, false) }
            : { icon: Check, label: 'Activate', onSelect: () => void activate(poll, true) },
          { icon: Trash2, label: 'Delete poll', isDestructive: true, onSelect: () => setPendingDelete(poll) },
        ]}
      />
    );
  }

  const polls = list.data?.polls ?? [];
  return (
    <>
      <ListState list={list} itemsName="polls" failure="Failed to fetch polls">
        {isDesktop ? (
          <PollTable polls={polls} renderMenu={renderMenu} />
        ) : (
          <PollCards polls={polls} renderMenu={renderMenu} />
        )}
      </ListState>
      {pendingDelete !== null && (
        <ConfirmDialog
          key={pendingDelete.id}
          title="Delete this poll?"
          confirmLabel="Delete poll"
          pendingLabel="Deleting…"
          onConfirm={async () => {
            if (await deletePoll(pendingDelete)) list.reload();
          }}
          onClose={() => setPendingDelete((current) => (current?.id === pendingDelete.id ? null : current))}
        >
          <p className="wrap-anywhere">
            “{pendingDelete.question}” will be deleted for good, with its votes and images. Voters keep their
            points.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
