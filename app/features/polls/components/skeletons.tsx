import { OrBadge } from '#app/ui/option-letter.tsx';
import { TRENDING_COUNT } from '#shared/polls/constants.ts';

export const LINE_CLASSES = 'rounded-full bg-base-300';

export function PairSkeleton({ className = '' }: { className?: string }) {
  return (
    <div className={`pair ${className}`}>
      <div className="pair-half bg-base-300" data-option={1} />
      <div className="pair-half bg-base-300" data-option={2} />
      <OrBadge pale />
    </div>
  );
}

export function ButtonsSkeleton() {
  return (
    <div className="grid grid-cols-2 gap-1.5 pt-2">
      <div className="h-14 rounded-control bg-base-300" />
      <div className="h-14 rounded-control bg-base-300" />
    </div>
  );
}

export function CardSkeleton() {
  return (
    <div className="mb-2.5 card p-2 md:mb-5">
      <div className="px-2 pt-1.5 pb-3">
        <div className={`${LINE_CLASSES} my-1 h-4 w-4/5`} />
      </div>
      <PairSkeleton />
      <ButtonsSkeleton />
      <div className="flex min-h-8 items-center gap-2 px-1.5 pt-1.5">
        <div className={`${LINE_CLASSES} size-6`} />
        <div className={`${LINE_CLASSES} h-2.5 w-1/4`} />
        <div className={`${LINE_CLASSES} ml-auto h-2.5 w-1/3`} />
      </div>
    </div>
  );
}

export function TrendingHeading() {
  return <h2 className="section-heading text-question">Top {TRENDING_COUNT} Trending Polls</h2>;
}

export function TrendingSkeleton() {
  return (
    <div className="grid grid-cols-2 gap-2 md:gap-5">
      {[1, 2].map((place) => (
        <CompactSkeleton
          key={place}
          className="md:grid md:grid-cols-[minmax(0,16rem)_minmax(0,1fr)] md:gap-4 md:p-2"
        />
      ))}
    </div>
  );
}

export function CompactSkeleton({ className = '' }: { className?: string }) {
  return (
    <div className={`card p-1.5 pb-2 ${className}`}>
      <PairSkeleton className="pair-small" />
      <div className="grid content-start gap-2 px-1.5 pt-3">
        <div className={`${LINE_CLASSES} h-2.5 w-full`} />
        <div className={`${LINE_CLASSES} h-2.5 w-3/5`} />
        <div className={`${LINE_CLASSES} h-2.5 w-4/5`} />
      </div>
    </div>
  );
}

export function GridSkeleton() {
  return (
    <div role="status" className="poll-grid">
      <span className="sr-only">Loading polls</span>
      {[1, 2, 3].map((place) => (
        <CardSkeleton key={place} />
      ))}
    </div>
  );
}

export function PollDetailSkeleton() {
  return (
    <div role="status" className="mx-auto w-full max-w-[35rem] pt-3 md:pt-16">
      <span className="sr-only">Loading the poll</span>
      <div className={`${LINE_CLASSES} mx-1 mb-4 h-7 w-4/5`} />
      <PairSkeleton className="pair-ground-page" />
      <ButtonsSkeleton />
    </div>
  );
}
