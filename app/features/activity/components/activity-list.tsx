import { Check, Coins, Compass, LogIn, UserPlus } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { loadMoreActivity, refreshActivity } from '#app/features/activity/actions.ts';
import { activityTexts } from '#app/features/activity/lib/activity-texts.ts';
import { useActivity } from '#app/features/activity/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { useLastPull } from '#app/lib/engine/use-last-pull.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
import { amountLabel } from '#app/lib/points-labels.ts';
import { groupByDay } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { PrimaryLink } from '#app/ui/button.tsx';
import { DayRow, DaySection, DaySkeleton } from '#app/ui/day-list.tsx';
import { EmptyState, MissingPollPair, smallIcon, ThumbnailPair } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import { PageLoader } from '#app/ui/feedback/page-loader.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { initials } from '#shared/accounts/rules.ts';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import type { PollSummary } from '#shared/polls/schema.ts';
import type { PendingActivity } from '#sync/client/cache/reads.ts';
import { createsPoll } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { BalanceCard } from './balance-card.tsx';

type Props = {
  /** Renders the small images of a poll. `createOpId` is the id of the op that will create it, null for existing polls. */
  renderThumbnail(poll: PollSummary, createOpId: string | null): ReactNode;
};

/**
 * The ledger as text. Shows the cached entries, and refreshes them when it is mounted, whenever the points change, and when the
 * server becomes reachable again.
 */
export default function ActivityList({ renderThumbnail }: Props) {
  const view = useActivity();
  const now = useServerNow();
  const isReachable = useReachable();
  const { result, storeResult, clear } = useLastPull(isReachable);
  const confirmed = view?.points?.confirmed;
  useEffect(
    () => (confirmed === undefined ? undefined : storeResult(refreshActivity())),
    [storeResult, confirmed],
  );
  useRetry(view?.meta == null && isReachable && result === 'unreachable', () => {
    clear();
    storeResult(refreshActivity());
  });

  if (view === undefined) return <DaySkeleton label="Loading activity" />;
  const { entries, pending, meta } = view;
  const isEmpty = entries.length + pending.length === 0;
  if (isEmpty && meta === null) {
    if (!isReachable || result === 'unreachable') {
      return (
        <div className="mx-auto w-full max-w-[35rem]">
          <BalanceCard view={view} nowMs={now} />
          <NotOnDevice subject="your points" />
        </div>
      );
    }
    if (result !== null && result !== 'updated') return <ListError subject="activity" />;
    return <DaySkeleton label="Loading activity" />;
  }
  if (isEmpty) return <NoActivity />;
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <BalanceCard view={view} nowMs={now} />
      <PendingSection
        title="Not sent"
        rows={pending.filter(({ op }) => needsDecision(op))}
        renderThumbnail={renderThumbnail}
      />
      <PendingSection
        title="Waiting to sync"
        rows={pending.filter(({ op }) => !needsDecision(op))}
        renderThumbnail={renderThumbnail}
      />
      {groupByDay(entries, now).map(({ day, items }) => (
        <DaySection key={day} title={day} aside={`Balance ${items[0].balance}`}>
          {items.map((entry) => (
            <li key={entry.id}>
              <EntryRow entry={entry} renderThumbnail={renderThumbnail} />
            </li>
          ))}
        </DaySection>
      ))}
      <ListEnd hasMore={meta?.hasMore ?? false} cursor={meta?.nextCursor ?? null} />
    </div>
  );
}

function ListEnd({ hasMore, cursor }: { hasMore: boolean; cursor: string | null }) {
  const isReachable = useReachable();
  if (!hasMore) return null;
  if (!isReachable) {
    return <p className="py-4 text-center text-body text-muted">Older entries appear once you are online.</p>;
  }
  return <PageLoader key={cursor} load={loadMoreActivity} />;
}

function NoActivity() {
  return (
    <EmptyState title="No activity yet" text="Every point you earn or spend is listed here.">
      <PrimaryLink to={paths.explore.href()}>
        <Icon icon={Compass} /> Start Exploring
      </PrimaryLink>
    </EmptyState>
  );
}

export function EntryRow({ entry, renderThumbnail }: { entry: ActivityEntry } & Props) {
  const { title, text } = activityTexts(entry);
  return (
    <DayRow
      image={<EntryImage entry={entry} renderThumbnail={renderThumbnail} />}
      title={<span className="font-bold">{title}</span>}
      text={text}
      end={<Amount delta={entry.delta} />}
    />
  );
}

function PendingSection({
  title,
  rows,
  renderThumbnail,
}: { title: string; rows: readonly PendingActivity[] } & Props) {
  if (rows.length === 0) return null;
  return (
    <DaySection title={title}>
      {rows.map((row) => (
        <li key={row.op.opId}>
          <PendingRow row={row} renderThumbnail={renderThumbnail} />
        </li>
      ))}
    </DaySection>
  );
}

function PendingRow({ row: { op, poll, delta }, renderThumbnail }: { row: PendingActivity } & Props) {
  const isNewPoll = createsPoll(op);
  return (
    <DayRow
      image={poll === null ? <MissingPollPair /> : renderThumbnail(poll, isNewPoll ? op.opId : null)}
      title={<span className="font-bold">{isNewPoll ? 'Made a poll' : 'Voted'}</span>}
      text={poll?.question ?? 'A poll that is not on this device'}
      end={<Amount delta={delta} isPending />}
    />
  );
}

function EntryImage({ entry: { reason, poll, friend }, renderThumbnail }: { entry: ActivityEntry } & Props) {
  const user = useUser();
  if (poll !== null) return renderThumbnail(poll, null);
  switch (reason) {
    case 'vote':
    case 'poll':
    case 'refund':
      return <MissingPollPair />;
    case 'referral': {
      const friendInitials = initials(friend?.user?.username ?? '') || '?';
      return <ThumbnailPair halves={[initials(user?.username ?? ''), friendInitials]} badge="&" />;
    }
    case 'login':
      return <ThumbnailPair halves={[smallIcon(LogIn), smallIcon(Check)]} />;
    case 'signup':
      return <ThumbnailPair halves={[smallIcon(UserPlus), smallIcon(Check)]} />;
    default:
      return <ThumbnailPair halves={[smallIcon(Coins), smallIcon(Check)]} />;
  }
}

function Amount({ delta, isPending = false }: { delta: number; isPending?: boolean }) {
  const colors = isPending
    ? 'border border-edge border-dashed'
    : delta > 0
      ? 'bg-primary text-primary-content'
      : 'bg-base-300';
  return (
    <span
      className={`figures grid min-h-7.5 min-w-11.5 shrink-0 place-items-center rounded-[10px] px-2 font-bold text-body ${colors}`}
    >
      {amountLabel(delta)}
    </span>
  );
}
