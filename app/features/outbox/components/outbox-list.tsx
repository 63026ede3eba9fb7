import { LogIn } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { fetchPoll } from '#app/features/outbox/actions.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { paths } from '#app/paths.ts';
import { PrimaryLink } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { type OutboxItem, readOutboxItems } from '#sync/client/cache/reads.ts';
import { createsPoll, type Op, operationOf } from '#sync/operations/registry.ts';
import { RefusedRow, WaitingRow } from './outbox-row.tsx';
import { EvictionNote, StorageNote } from './storage-note.tsx';

type Props = {
  /** The points that can be spent, for refusals that mention them; null while unknown. */
  points: number | null;
  renderThumbnail(item: OutboxItem): ReactNode;
  onEdit(opId: string): void;
  onTryAgain(op: Op): void;
};

/** The changes that the user has to decide about, and those that are waiting to be sent. */
export function OutboxList({ points, renderThumbnail, onEdit, onTryAgain }: Props) {
  const outbox = useUserQuery(readOutboxItems);
  const session = useSession();
  const needsLogin = session.status === 'user' && session.needsLogin;
  useFetchMissingPolls(outbox);
  if (outbox === undefined) return null;
  const { needsDecision, waiting } = outbox;
  if (needsDecision.length + waiting.length === 0) {
    return (
      <>
        <EvictionNote />
        <EmptyState
          title="Nothing is waiting"
          text="Votes and polls that have not been sent yet appear here."
        >
          <PrimaryLink to={paths.home.href()}>See the polls</PrimaryLink>
        </EmptyState>
      </>
    );
  }
  // Changes that are made after the session has ended remain `queued` until it is checked again, but need the login, too.
  const waitingForLoginCount = needsLogin
    ? waiting.length
    : waiting.filter(({ op }) => op.state === 'blocked_auth').length;
  return (
    <FocusFallback>
      <StorageNote />
      <EvictionNote />
      {needsDecision.length > 0 && (
        <Group title={`Needs attention · ${needsDecision.length}`}>
          {needsDecision.map((item) => (
            <RefusedRow
              key={item.op.opId}
              item={item}
              thumbnail={renderThumbnail(item)}
              points={points}
              onEdit={onEdit}
              onTryAgain={onTryAgain}
            />
          ))}
        </Group>
      )}
      {waiting.length > 0 && (
        <Group title={`Waiting to sync · ${waiting.length}`}>
          {waitingForLoginCount > 0 && (
            <li>
              <PrimaryLink to={paths.auth.href({ next: paths.outbox.href() })}>
                <Icon icon={LogIn} /> Log in to send {countLabel(waitingForLoginCount, 'change')}
              </PrimaryLink>
            </li>
          )}
          {waiting.map((item) => (
            <WaitingRow key={item.op.opId} item={item} thumbnail={renderThumbnail(item)} />
          ))}
        </Group>
      )}
    </FocusFallback>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="section-heading text-question">{title}</h2>
      <ul className="grid gap-2.5">{children}</ul>
    </section>
  );
}

/** Fetches the polls of queued changes if they are no longer in the cache, and again when the server becomes reachable. */
function useFetchMissingPolls(outbox: Record<'needsDecision' | 'waiting', OutboxItem[]> | undefined): void {
  const missingIds = [...(outbox?.needsDecision ?? []), ...(outbox?.waiting ?? [])]
    .filter(
      ({ op, poll }) =>
        !createsPoll(op) &&
        operationOf(op).changesPolls &&
        poll === null &&
        op.lastError?.code !== 'not_found',
    )
    .map(({ op }) => op.entityId)
    .join(' ');
  const isReachable = useReachable();
  useEffect(() => {
    if (missingIds === '' || !isReachable) return;
    for (const pollId of missingIds.split(' ')) void fetchPoll(pollId);
  }, [missingIds, isReachable]);
}
