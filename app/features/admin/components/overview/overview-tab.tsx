import { useQuery } from '@tanstack/react-query';
import { JobList } from '#app/features/admin/components/jobs/job-list.tsx';
import { RepairImages } from '#app/features/admin/components/jobs/repair-images.tsx';
import { ListFailure } from '#app/features/admin/components/lists/list-state.tsx';
import { OVERVIEW_REFETCH_DELAY_MS } from '#app/features/admin/lib/job-actions.ts';
import { mailsLabel, numberLabel } from '#app/features/admin/lib/labels.ts';
import { fetchOverview } from '#app/features/admin/queries.ts';
import { bytesLabel } from '#app/lib/bytes-label.ts';
import type { Overview } from '#shared/admin/schema.ts';
import { AuditLog } from './audit-log.tsx';
import { DayChart, DayTable } from './day-charts.tsx';

export function OverviewTab() {
  const { data, isLoadingError, refetch } = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => fetchOverview(signal),
    // Fetched twice: the first response may be from the server's cache.
    refetchInterval: ({ state }) => state.dataUpdateCount === 1 && OVERVIEW_REFETCH_DELAY_MS,
  });
  return (
    <div className="grid grid-cols-1 gap-2.5 md:gap-5">
      {isLoadingError && (
        <ListFailure onRetry={() => void refetch()}>Failed to fetch the overview</ListFailure>
      )}
      {data !== undefined && <Statistics overview={data} />}
      {data === undefined && !isLoadingError && <StatisticsSkeleton />}
      <div className="grid grid-cols-1 items-start gap-2.5 md:grid-cols-2 md:gap-5">
        <div className="grid grid-cols-1 gap-2.5 md:gap-5">
          <RepairImages />
          <JobList />
        </div>
        <AuditLog />
      </div>
    </div>
  );
}

function Statistics({ overview }: { overview: Overview }) {
  const { users, polls, votes, days, mailsWaiting, storageBytes } = overview;
  const today = days.at(-1);
  const closedPollsNote = (['completed', 'expired', 'inactive'] as const)
    // A non-breaking space keeps each number on one line with its word.
    .map((status) => `${numberLabel(polls[status])}\u00a0${status}`)
    .join(' · ');
  return (
    <>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,8.25rem),1fr))] gap-2.5 md:grid-cols-4 md:gap-5">
        <Statistic
          name="Users"
          value={numberLabel(users)}
          note={`${numberLabel(today?.signUps ?? 0)} joined today`}
        />
        <Statistic name="Open polls" value={numberLabel(polls.active)} note={closedPollsNote} />
        <Statistic name="Votes" value={numberLabel(votes)} note={`${numberLabel(today?.votes ?? 0)} today`} />
        <Statistic name="Storage used" value={bytesLabel(storageBytes)} note={mailsLabel(mailsWaiting)} />
      </dl>
      <section aria-label="The last two weeks" className="grid gap-2.5 md:grid-cols-2 md:gap-5">
        <DayChart title="Votes per day" days={days.map(({ day, votes: count }) => ({ day, count }))} />
        <DayChart title="Sign-ups per day" days={days.map(({ day, signUps: count }) => ({ day, count }))} />
        <DayTable days={days} />
      </section>
    </>
  );
}

const CARD_CLASSES = 'min-w-0 card p-4';

function Statistic({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className={CARD_CLASSES}>
      <dt className="font-semibold text-muted text-small">{name}</dt>
      <dd className="wrap-anywhere">
        <span className="figures block font-extrabold text-title">{value}</span>
        <span className="block text-muted text-small">{note}</span>
      </dd>
    </div>
  );
}

function StatisticsSkeleton() {
  return (
    <div role="status" className="grid grid-cols-2 gap-2.5 md:grid-cols-4 md:gap-5">
      <span className="sr-only">Loading</span>
      {['users', 'polls', 'votes', 'storage'].map((name) => (
        <div key={name} className={`${CARD_CLASSES} grid h-28 content-center gap-3`}>
          <span className="h-3 w-16 rounded-full bg-base-300" />
          <span className="h-7 w-24 max-w-full rounded-full bg-base-300" />
        </div>
      ))}
    </div>
  );
}
