import { Coins, Compass, Gift, LayoutList, Settings, Shield, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { paths } from '#app/paths.ts';
import { Icon, PollsIcon } from '#app/ui/icon.tsx';

/** `also` is another address of the same screen, or a screen that it leads to. */
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
const admin: Destination = {
  to: paths.admin.href(),
  also: paths.adminPanel.href(),
  label: 'Admin',
  icon: <Icon of={Shield} />,
};
const profile: Destination = {
  to: paths.profile.href(),
  also: paths.settings.href(),
  label: 'Profile',
  icon: <Icon of={UserRound} />,
};
const myPolls: Destination = { to: paths.myPolls.href(), label: 'My polls', icon: <Icon of={LayoutList} /> };
const settings: Destination = { to: paths.settings.href(), label: 'Settings', icon: <Icon of={Settings} /> };

/** Administrators have their own screen in the place of Refer. */
function refersOr(isAdmin: boolean): Destination {
  return isAdmin ? admin : refer;
}

export function bottomDestinations(isAdmin: boolean): Destination[] {
  return [points, polls, explore, refersOr(isAdmin), profile];
}

export function headerDestinations(isAdmin: boolean): Destination[] {
  return [polls, points, explore, refersOr(isAdmin)];
}

export function menuDestinations(isAdmin: boolean): Destination[] {
  return [polls, points, explore, refersOr(isAdmin), myPolls, { ...profile, also: '' }, settings];
}
