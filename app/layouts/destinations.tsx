import { Coins, Compass, Gift, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';
import { PollsIcon } from '#app/ui/polls-icon.tsx';

/** `also` is another address of the same screen. */
export type Destination = { to: string; also?: string; label: string; icon: ReactNode };

const points: Destination = {
  to: paths.root.href(),
  also: paths.points.href(),
  label: 'Points',
  icon: <Icon of={Coins} />,
};
const polls: Destination = { to: paths.home.href(), label: 'Polls', icon: <PollsIcon size={22} /> };
const explore: Destination = { to: paths.explore.href(), label: 'Explore', icon: <Icon of={Compass} /> };
const refer: Destination = { to: paths.referrals.href(), label: 'Refer', icon: <Icon of={Gift} /> };
const profile: Destination = { to: paths.profile.href(), label: 'Profile', icon: <Icon of={UserRound} /> };

export const BOTTOM_DESTINATIONS: readonly Destination[] = [points, polls, explore, refer, profile];
export const HEADER_DESTINATIONS: readonly Destination[] = [polls, points, explore, refer];
