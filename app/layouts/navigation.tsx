import { Coins, Compass, Gift, Shield, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { useRootClass } from '#app/lib/browser/use-root-class.ts';
import { useIsAdmin } from '#app/lib/engine/session.ts';
import { paths } from '#app/paths.ts';
import { Icon, PollsIcon } from '#app/ui/icon.tsx';

/** A link to a main screen. It is also marked as the current screen at `alternatePath`. */
export type Destination = { to: string; alternatePath?: string | undefined; label: string; icon: ReactNode };

type Path = { href(): string };

export function makeDestination(
  label: string,
  icon: ReactNode,
  path: Path,
  alternatePath?: Path,
): Destination {
  return { to: path.href(), alternatePath: alternatePath?.href(), label, icon };
}

const points = makeDestination('Points', <Icon icon={Coins} />, paths.root, paths.points);
const polls = makeDestination('Polls', <PollsIcon />, paths.home);
const explore = makeDestination('Explore', <Icon icon={Compass} />, paths.explore);
const refer = makeDestination('Refer', <Icon icon={Gift} />, paths.referrals);
const admin = makeDestination('Admin', <Icon icon={Shield} />, paths.admin, paths.adminPanel);
export const profile = makeDestination('Profile', <Icon icon={UserRound} />, paths.profile, paths.settings);

function adminOrRefer(isAdmin: boolean): Destination {
  return isAdmin ? admin : refer;
}

export function bottomDestinations(isAdmin: boolean): Destination[] {
  return [points, polls, explore, adminOrRefer(isAdmin), profile];
}

export function headerDestinations(isAdmin: boolean): Destination[] {
  return [polls, points, explore, adminOrRefer(isAdmin)];
}

type Props = {
  destination: Pick<Destination, 'to' | 'alternatePath'>;
  onClick?: () => void;
  className: string;
  children: ReactNode;
};

export function NavItem({ destination: { to, alternatePath }, className, children, ...rest }: Props) {
  const { pathname } = useLocation();
  const isCurrent = pathname === to || pathname === alternatePath;
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined} className={className} {...rest}>
      {children}
    </Link>
  );
}

/** The navigation on a phone, at widths up to 768 px. */
export function BottomNav() {
  const isAdmin = useIsAdmin();
  useRootClass('has-bottom-nav');
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
