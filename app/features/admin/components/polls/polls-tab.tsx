import { Ban, Check, ExternalLink, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deletePoll, setActive } from '#app/features/admin/actions.ts';
import { ConfirmDialog } from '#app/features/admin/components/confirm-dialog.tsx';
import { BulkUpload } from '#app/features/admin/components/jobs/bulk-upload.tsx';
import { SamplePolls } from '#app/features/admin/components/jobs/sample-form.tsx';
import { ListState } from '#app/features/admin/components/list-state.tsx';
import { RowMenu } from '#app/features/admin/components/row-menu.tsx';
import { useList } from '#app/features/admin/hooks/use-list.ts';
import { fetchPolls } from '#app/features/admin/queries.ts';
import { useIsDesktop } from '#app/lib/media.ts';
import { paths } from '#app/paths.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { PollCards } from './poll-cards.tsx';
import { PollTable } from './poll-table.tsx';

/** The polls, and the ways to make many at once. */
export function PollsTab({ typed }: { typed: string }) {
  return (
    <>
      <PollList typed={typed} />
      <div className="grid items-start gap-2.5 pt-5 md:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)] md:gap-5">
        <BulkUpload />
        <SamplePolls />
      </div>
    </>
  );
}

/** Every poll there is, and what can be done about it. */
function PollList({ typed }: { typed: string }) {
  const list = useList('polls', fetchPolls, typed);
  const isDesktop = useIsDesktop();
  const [pendingDelete, setPendingDelete] = useState<Poll | null>(null);

  async function activate(poll: Poll, isActive: boolean) {
    const now = await setActive(poll, isActive);
    if (now === null) return;
    if (now === 'gone') return list.reload();
    list.change((page) => ({ ...page, polls: page.polls.map((each) => (each.id === now.id ? now : each)) }));
  }

  function menu(poll: Poll) {
    return (
      <RowMenu
        label={`Actions for ${poll.question}`}
        items={[
          { icon: ExternalLink, label: 'Open poll', href: paths.poll.href(poll.id) },
          poll.active
            ? { icon: Ban, label: 'Deactivate', onChoose: () => void activate(poll, false) }
            : { icon: Check, label: 'Activate', onChoose: () => void activate(poll, true) },
          { icon: Trash2, label: 'Delete poll', isGrave: true, onChoose: () => setPendingDelete(poll) },
        ]}
      />
    );
  }

  const polls = list.data?.polls ?? [];
  return (
    <>
      <ListState list={list} things="polls" failure="Failed to fetch polls">
        {isDesktop ? <PollTable polls={polls} menu={menu} /> : <PollCards polls={polls} menu={menu} />}
      </ListState>
      {pendingDelete !== null && (
        <ConfirmDialog
          key={pendingDelete.id}
          title="Delete this poll?"
          action="Delete poll"
          doing="Deleting…"
          onConfirm={async () => {
            if (await deletePoll(pendingDelete)) list.reload();
          }}
          onClose={() => setPendingDelete((now) => (now?.id === pendingDelete.id ? null : now))}
        >
          <p className="wrap-anywhere">
            “{pendingDelete.question}” goes for good, with its votes and its pictures. Who voted keeps the
            points.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
