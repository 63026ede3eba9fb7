import { PointsCard } from '#app/features/points/components/points-card.tsx';
import { PointRules, Tips } from '#app/features/points/components/points-guide.tsx';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';

export default function PointsRoute() {
  usePageTitle('Points');
  return (
    <>
      <h1 className="sr-only">Points System</h1>
      <div className="grid gap-x-5 pt-1 md:grid-cols-2 md:items-start md:pt-4">
        <PointsCard />
        <div className="md:col-start-2 md:row-span-2 md:row-start-1 md:-mt-4">
          <PointRules />
        </div>
        <Tips />
      </div>
    </>
  );
}
