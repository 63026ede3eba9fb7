import { LogIn } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router-dom';
import { fetchPoll } from '#app/features/outbox/actions.ts';
import { useOutbox } from '#app/features/outbox/queries.ts';
import { changesLabel } from '#app/lib/engine/outbox-words.ts';
import { paths } from '#app/paths.ts';
import { EmptyState } from '#app/ui/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { operationOf } from '#sync/operations/registry.ts';
import { RefusedRow } from './refused-row.tsx';
import { EvictionNote, StorageNote } from './storage-note.tsx';
import { WaitingRow } from './waiting-row.tsx';
import { WithdrawDialog } from './withdraw-dialog.tsx';

type Props = {
  /** What the person has, for reasons that name it. */
  points: number | null;
  /** Draws a change's two pictures. */
  pair(item: OutboxItem): ReactNode;
  onEdit(opId: string): void;
};

/** Everything that has not reached the server, and everything that it did not take. */
export function OutboxList({ points, pair, onEdit }: Props) {
  const outbox = useOutbox();
  useMissingPolls(outbox);
  if (outbox === undefined) return null;
  const { needsYou, waiting } = outbox;
  if (needsYou.length + waiting.length === 0) {
    return (
      <>
        <EvictionNote />
        <NothingWaits />
      </>
    );
  }
  const blocked = waiting.filter(({ op }) => op.state === 'blocked_auth').length;
  return (
    <>
      <StorageNote />
      <EvictionNote />
      {needsYou.length > 0 && (
        <Group title={`Needs you · ${needsYou.length}`}>
          {needsYou.map((item) => (
            <RefusedRow key={item.op.opId} item={item} pair={pair(item)} points={points} onEdit={onEdit} />
          ))}
        </Group>
      )}
      {waiting.length > 0 && (
        <Group title={`Waiting to sync · ${waiting.length}`}>
          {blocked > 0 && (
            <li>
              <Link to={paths.auth.href({ next: paths.outbox.href() })} className="key key-primary">
                <Icon of={LogIn} /> Log in to send {changesLabel(blocked)}
              </Link>
            </li>
          )}
          {waiting.map((item) => (
            <WaitingRow key={item.op.opId} item={item} pair={pair(item)} />
          ))}
        </Group>
      )}
      <WithdrawDialog />
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="feed-heading text-question">{title}</h2>
      <ul className="grid gap-2.5">{children}</ul>
    </section>
  );
}

function NothingWaits() {
  return (
    <EmptyState title="Nothing is waiting" text="Votes and polls that are yet to be sent appear here.">
      <Link to={paths.home.href()} className="key key-primary">
        See the polls
      </Link>
    </EmptyState>
  );
}

/** A device whose cache was cleared asks for the polls that changes are about. */
function useMissingPolls(outbox: ReturnType<typeof useOutbox>): void {
  const missing = [...(outbox?.needsYou ?? []), ...(outbox?.waiting ?? [])]
    .filter(
      ({ op, poll }) =>
        operationOf(op).newPoll === null && poll === null && op.lastError?.code !== 'not_found',
    )
    .map(({ op }) => op.entityId)
    .join(' ');
  useEffect(() => {
    if (missing === '') return;
    for (const pollId of missing.split(' ')) void fetchPoll(pollId);
  }, [missing]);
}
