import { ButtonsSkeleton, LINE_CLASSES, PairSkeleton } from './skeletons.tsx';

export function DeckSkeleton() {
  return (
    <div role="status" className="deck-card card">
      <span className="sr-only">Loading polls</span>
      <div className="deck-question">
        <div className={`${LINE_CLASSES} mt-2 h-6 w-4/5`} />
      </div>
      <PairSkeleton />
      <ButtonsSkeleton />
      <div className="h-8" />
    </div>
  );
}
