import { Coins, Compass, Gift, LayoutList, Settings, Shield, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { useIsAdmin } from '#app/lib/engine/session.ts';
import { paths } from '#app/paths.ts';
import { Icon, PollsIcon } from '#app/ui/icon.tsx';

/** `also` is a second path for which the destination is the current one. */
export type Destination = { to: string; also?: string; label: string; icon: ReactNode };

const points: Destination = {
  to: paths.root.href(),
  also: paths.points.href(),
  label: 'Points',
  icon: <Icon icon={Coins} />,
};
const polls: Destination = { to: paths.home.href(), label: 'Polls', icon: <PollsIcon size={22} /> };
const explore: Destination = { to: paths.explore.href(), label: 'Explore', icon: <Icon icon={Compass} /> };
const refer: Destination = { to: paths.referrals.href(), label: 'Refer', icon: <Icon icon={Gift} /> };
const admin: Destination = {
  to: paths.admin.href(),
  also: paths.adminPanel.href(),
  label: 'Admin',
  icon: <Icon icon={Shield} />,
};
const profile: Destination = {
  to: paths.profile.href(),
  also: paths.settings.href(),
  label: 'Profile',
  icon: <Icon icon={UserRound} />,
};
const myPolls: Destination = {
  to: paths.myPolls.href(),
  label: 'My polls',
  icon: <Icon icon={LayoutList} />,
};
const settings: Destination = {
  to: paths.settings.href(),
  label: 'Settings',
  icon: <Icon icon={Settings} />,
};

function adminOrRefer(isAdmin: boolean): Destination {
  return isAdmin ? admin : refer;
}

export function bottomDestinations(isAdmin: boolean): Destination[] {
  return [points, polls, explore, adminOrRefer(isAdmin), profile];
}

export function headerDestinations(isAdmin: boolean): Destination[] {
  return [polls, points, explore, adminOrRefer(isAdmin)];
}

export function menuDestinations(isAdmin: boolean): Destination[] {
  return [polls, points, explore, adminOrRefer(isAdmin), myPolls, { ...profile, also: '' }, settings];
}

type Props = {
  destination: Pick<Destination, 'to' | 'also'>;
  onClick?: () => void;
  className: string;
  children: ReactNode;
};

/** A navigation link, marked as current on each of its paths. */
export function NavItem({ destination: { to, also }, className, children, ...rest }: Props) {
  const { pathname } = useLocation();
  const isCurrent = pathname === to || pathname === also;
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined} className={className} {...rest}>
      {children}
    </Link>
  );
}

/** The navigation on a phone, at widths up to 768 px. */
export function BottomNav() {
  const isAdmin = useIsAdmin();
  return (
    <nav
      id="bottom-nav"
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-20 flex justify-around border-base-300 border-t bg-base-100 px-2 pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {bottomDestinations(isAdmin).map((destination) => (
        <NavItem
          key={destination.to}
          destination={destination}
          className="group flex h-16 min-w-14 flex-1 flex-col items-center justify-center gap-1 text-muted aria-[current=page]:text-base-content"
        >
          <span className="grid h-7.5 w-13 place-items-center rounded-full group-aria-[current=page]:bg-primary group-aria-[current=page]:text-primary-content">
            {destination.icon}
          </span>
          <span className="font-semibold text-[min(0.6875rem,3.8vw)] leading-[1.45]">
            {destination.label}
          </span>
        </NavItem>
      ))}
    </nav>
  );
}
