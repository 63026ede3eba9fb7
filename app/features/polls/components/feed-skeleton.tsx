import { OrBadge } from '#app/ui/or-badge.tsx';
import { TRENDING_COUNT } from '#shared/polls/constants.ts';

const LINE = 'rounded-full bg-base-300';

function PairSkeleton({ small = false }: { small?: boolean }) {
  return (
    <div className={`pair ${small ? 'pair-small' : ''}`}>
      <div className="pair-half bg-base-300" data-option={1} />
      <div className="pair-half bg-base-300" data-option={2} />
      <OrBadge pale />
    </div>
  );
}

export function CardSkeleton() {
  return (
    <div className="mb-2.5 rounded-card bg-base-100 p-2 shadow-card md:mb-5">
      <div className="px-2 pt-1.5 pb-3">
        <div className={`${LINE} my-1 h-4 w-4/5`} />
      </div>
      <PairSkeleton />
      <div className="grid grid-cols-2 gap-1.5 pt-2">
        <div className="h-14 rounded-key bg-base-300" />
        <div className="h-14 rounded-key bg-base-300" />
      </div>
      <div className="flex min-h-8 items-center gap-2 px-1.5 pt-1.5">
        <div className={`${LINE} size-6`} />
        <div className={`${LINE} h-2.5 w-1/4`} />
        <div className={`${LINE} ml-auto h-2.5 w-1/3`} />
      </div>
    </div>
  );
}

export function TrendingHeading() {
  return <h2 className="feed-heading text-question">Top {TRENDING_COUNT} Trending Polls</h2>;
}

export function TrendingSkeleton() {
  return (
    <div className="grid grid-cols-2 gap-2 md:gap-5">
      {[1, 2].map((place) => (
        <div
          key={place}
          className="rounded-card bg-base-100 p-1.5 pb-2 shadow-card md:grid md:grid-cols-[minmax(0,16rem)_minmax(0,1fr)] md:gap-4 md:p-2"
        >
          <PairSkeleton small />
          <div className="grid content-start gap-2 px-1.5 pt-3">
            <div className={`${LINE} h-2.5 w-full`} />
            <div className={`${LINE} h-2.5 w-3/5`} />
            <div className={`${LINE} h-2.5 w-4/5`} />
          </div>
        </div>
      ))}
    </div>
  );
}

/** The cards' shapes while nothing is known yet. */
export function GridSkeleton() {
  return (
    <div role="status" className="feed-grid">
      <span className="sr-only">Loading polls</span>
      {[1, 2, 3].map((place) => (
        <CardSkeleton key={place} />
      ))}
    </div>
  );
}
