import { useAtomValue, useSetAtom } from 'jotai';
import { ArrowLeft, Bell, Menu as MenuIcon, Share2 } from 'lucide-react';
import { lazy } from 'react';
import { Link } from 'react-router-dom';
import { isCardDismissedAtom } from '#app/features/connection/atoms.ts';
import { connectionState, isUnreachable } from '#app/lib/engine/engine.ts';
import { useIsAdmin, useSession } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { HEADER_ACTION_ID } from '#app/lib/navigation/header-action.ts';
import { useGoBack } from '#app/lib/navigation/use-go-back.ts';
import { isShareDialogOpenAtom } from '#app/lib/sharing/share-dialog.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { IconButton, PrimaryLink, SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { Wordmark } from '#app/ui/wordmark.tsx';
import { initials } from '#shared/accounts/rules.ts';
import { headerDestinations, NavItem } from './navigation.tsx';

const MENU_ID = 'main-menu';

// Not needed for the first paint.
const Menu = lazy(() => import('./menu.tsx'));
export const loadConnectionChip = () => import('#app/features/connection/components/connection-chip.tsx');
const ConnectionChip = lazy(loadConnectionChip);
const loadUnreadModule = () => import('#app/features/notifications/components/unread-count.tsx');
const UnreadCount = lazy(loadUnreadModule);
const UnreadLabel = lazy(async () => ({ default: (await loadUnreadModule()).UnreadLabel }));
const MenuDot = lazy(async () => ({ default: (await loadUnreadModule()).MenuDot }));
const ThemeToggle = lazy(() => import('./theme-toggle.tsx'));
// Reads the database, whose code is in another chunk.
const PointsBadge = lazy(async () => ({
  default: (await import('#app/features/points/components/points-badge.tsx')).PointsBadge,
}));

type Props = {
  isPollScreen: boolean;
  /** Shown next to the Back button on a phone. */
  title?: string | undefined;
};

/**
 * On a phone, some screens have a Back button instead of the wordmark, and the poll screen also has Share, unless the poll is gone
 * or cannot be shared. The bell is missing on Notifications, and where it has no space (see `MenuDot`).
 */
export function Header({ isPollScreen, title }: Props) {
  const session = useSession();
  const goBack = useGoBack();
  const connection = useObservable(connectionState);
  const openShareDialog = useSetAtom(isShareDialogOpenAtom);
  const isCardDismissed = useAtomValue(isCardDismissedAtom);
  const isChipShown = isCardDismissed && isUnreachable(connection);
  const hasBack = isPollScreen || title !== undefined;
  const themeToggle = (
    <LazyBoundary fallback={<div className="size-11" />}>
      <ThemeToggle />
    </LazyBoundary>
  );
  return (
    <header
      data-has-back={hasBack ? '' : undefined}
      className="sticky top-0 z-10 bg-base-200 pt-[env(safe-area-inset-top)]"
    >
      <div className="mx-auto flex min-h-14 max-w-[73.5rem] flex-wrap items-center gap-1 px-3 md:min-h-[4.25rem]">
        {hasBack && <IconButton icon={ArrowLeft} label="Back" className="-ml-2 md:hidden" onClick={goBack} />}
        {title !== undefined && (
          // On the smallest phones, a long title is smaller, so that the header keeps one row.
          <h1 className={`truncate text-question ${title.length >= 10 ? 'max-xs:text-label' : ''} md:hidden`}>
            {title}
          </h1>
        )}
        <Link
          to={session.status === 'visitor' ? paths.auth.href() : paths.root.href()}
          aria-label="This or That? Start"
          className={`${hasBack ? 'max-md:hidden' : ''} flex items-center rounded-chip px-0.5 text-[min(1.275rem,5.3vw)] xs:min-h-11 md:mr-4 md:text-[1.525rem] lg:mr-10`}
        >
          <Wordmark />
        </Link>
        {session.status !== 'visitor' && <DesktopNav />}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-1 md:gap-2">
          <div id={HEADER_ACTION_ID} className="empty:hidden" />
          {session.status === 'visitor' ? (
            <>
              <div className="-mx-1">{themeToggle}</div>
              <Link to={paths.auth.href()} className="btn btn-ghost max-[24rem]:px-1">
                Log in
              </Link>
              <PrimaryLink to={paths.auth.href({ tab: 'signup' })} className="max-[24rem]:px-2">
                Sign up
              </PrimaryLink>
            </>
          ) : (
            <>
              {isChipShown && (
                <LazyBoundary>
                  <ConnectionChip />
                </LazyBoundary>
              )}
              <LazyBoundary fallback={<div className="h-9 w-[4.75rem] rounded-full bg-base-300" />}>
                <PointsBadge />
              </LazyBoundary>
              <NavItem
                destination={{ to: paths.notifications.href() }}
                className="btn btn-ghost btn-circle relative max-[22.5rem]:hidden max-md:aria-[current=page]:hidden max-md:in-[header:has(#header-action>*)]:hidden"
              >
                <Icon icon={Bell} size={24} />
                <span className="sr-only">
                  Notifications
                  <LazyBoundary>
                    <UnreadLabel />
                  </LazyBoundary>
                </span>
                <LazyBoundary>
                  <UnreadCount />
                </LazyBoundary>
              </NavItem>
              {/* On a phone, the menu has it. */}
              <div className="max-md:hidden">{themeToggle}</div>
              <MenuButton name={session.status === 'user' ? session.user.username : ''} />
            </>
          )}
          {isPollScreen && (
            <IconButton
              icon={Share2}
              label="Share"
              className="md:hidden in-[body:has([data-poll-gone],[data-poll-unshared])]:hidden"
              onClick={() => openShareDialog(true)}
            />
          )}
        </div>
      </div>
      {session.status !== 'visitor' && (
        // Rendered at once, so that its button works before the menu's code has loaded.
        <div
          id={MENU_ID}
          popover="auto"
          className="header-popover min-h-40 w-[min(21rem,calc(100vw-1.5rem))]"
        >
          {session.status === 'user' && (
            <LazyBoundary
              errorFallback={<SecondaryButton onClick={() => location.reload()}>Reload Now</SecondaryButton>}
            >
              <Menu user={session.user} />
            </LazyBoundary>
          )}
        </div>
      )}
    </header>
  );
}

function DesktopNav() {
  const isAdmin = useIsAdmin();
  return (
    <nav aria-label="Main" className="flex gap-3 max-md:hidden lg:gap-6">
      {headerDestinations(isAdmin).map((destination) => (
        <NavItem
          key={destination.to}
          destination={destination}
          className="relative flex h-11 items-center px-1 font-semibold text-field text-muted after:absolute after:inset-x-1 after:bottom-0.5 after:h-1 after:rounded-full aria-[current=page]:text-base-content aria-[current=page]:after:bg-primary"
        >
          {destination.label}
        </NavItem>
      ))}
    </nav>
  );
}

function MenuButton({ name }: { name: string }) {
  return (
    <button
      type="button"
      popoverTarget={MENU_ID}
      className="relative grid size-11 cursor-pointer place-items-center rounded-full"
    >
      <span className="sr-only">Menu {initials(name)}</span>
      <LazyBoundary>
        <MenuDot />
      </LazyBoundary>
      <span className="md:hidden">
        <Icon icon={MenuIcon} size={24} />
      </span>
      <span className="max-md:hidden">
        <Avatar name={name} size="medium" />
      </span>
    </button>
  );
}
