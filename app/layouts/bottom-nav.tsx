import { useIsAdmin } from '#app/lib/engine/session.ts';
import { bottomDestinations } from './destinations.tsx';
import { NavTo } from './nav-to.tsx';

/** The thumb's navigation, at 768 px and under. */
export function BottomNav() {
  const isAdmin = useIsAdmin();
  return (
    <nav
      id="bottom-nav"
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-20 flex justify-around border-base-300 border-t bg-base-100 px-2 pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {bottomDestinations(isAdmin).map((destination) => (
        <NavTo
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
        </NavTo>
      ))}
    </nav>
  );
}
