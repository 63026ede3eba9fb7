import {
  GridSkeleton,
  TrendingHeading,
  TrendingSkeleton,
} from '#app/features/polls/components/feed-skeleton.tsx';
import { HomeBar } from './home-bar.tsx';

/** The Polls screen's shape, painted before its code and the database are there. */
export function HomeFallback() {
  return (
    <>
      <HomeBar tab="polls" onTab={() => undefined} canCreate={false} onCreate={() => undefined} />
      <TrendingHeading />
      <TrendingSkeleton />
      <h2 className="feed-heading text-question">Latest Polls</h2>
      <GridSkeleton />
    </>
  );
}
