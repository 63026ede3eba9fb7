import { BalanceCard } from '#app/features/points/components/balance-card.tsx';
import { EARNINGS, SPENDINGS } from '#app/features/points/components/point-facts.ts';
import { PointList } from '#app/features/points/components/point-list.tsx';
import { Tips } from '#app/features/points/components/tips.tsx';
import { usePageTitle } from '#app/lib/page-title.ts';

export default function PointsRoute() {
  usePageTitle('Points');
  return (
    <>
      <h1 className="sr-only">Points System</h1>
      <div className="grid gap-x-5 pt-1 md:grid-cols-2 md:items-start md:pt-4">
        <BalanceCard />
        <div className="md:col-start-2 md:row-span-2 md:row-start-1 md:-mt-4">
          <PointList title="Earn" facts={EARNINGS} />
          <PointList title="Spend" facts={SPENDINGS} />
        </div>
        <Tips />
      </div>
    </>
  );
}
