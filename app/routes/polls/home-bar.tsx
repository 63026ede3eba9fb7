import { Plus } from 'lucide-react';
import { HomeSnapshot } from '#app/features/polls/components/home-snapshot.tsx';
import {
  GridSkeleton,
  TrendingHeading,
  TrendingSkeleton,
} from '#app/features/polls/components/skeletons.tsx';
import { PrimaryButton } from '#app/ui/button.tsx';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { Icon } from '#app/ui/icon.tsx';

export const HOME_TABS = { polls: 'Polls', refer: 'Refer & Earn' };
export type HomeTab = keyof typeof HOME_TABS;
export const HOME_PANEL_ID = 'home-panel';

type Props = { tab: HomeTab; onTabChange(tab: HomeTab): void; canCreate: boolean; onCreate(): void };

export function HomeBar({ tab, onTabChange, canCreate, onCreate }: Props) {
  return (
    <div className="flex flex-wrap items-stretch justify-between gap-2 md:pt-1">
      <SegmentedControl
        label="Sections"
        value={tab}
        segments={HOME_TABS}
        onChange={onTabChange}
        panelId={HOME_PANEL_ID}
        className="max-md:flex-1 [&>button]:max-[24.5rem]:px-1.5"
      />
      <PrimaryButton onClick={onCreate} disabled={!canCreate} className="max-xs:px-2 px-3 md:px-5">
        <Icon icon={Plus} className="max-xs:hidden" />
        <span className="whitespace-nowrap">Create Poll</span>
      </PrimaryButton>
    </div>
  );
}

/** The Polls screen while its code and the database are loading. */
export function HomeFallback() {
  return (
    <>
      <HomeBar tab="polls" onTabChange={() => undefined} canCreate={false} onCreate={() => undefined} />
      <HomeSnapshot>
        <TrendingHeading />
        <TrendingSkeleton />
        <h2 className="section-heading text-question">Latest Polls</h2>
        <GridSkeleton />
      </HomeSnapshot>
    </>
  );
}
