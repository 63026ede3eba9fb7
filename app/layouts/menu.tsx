import { useSetAtom } from 'jotai';
import { Bell, Download, LogOut, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { LogoutDialog } from '#app/features/accounts/components/logout-dialog.tsx';
import { requestLogout } from '#app/features/accounts/lib/log-out.ts';
import { useUnreadCount } from '#app/features/notifications/queries.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { useOutboxCounts } from '#app/lib/engine/user-query.ts';
import {
  installMethodState,
  isInstallSheetOpenAtom,
  promptInstall,
} from '#app/lib/install/install-method.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { ThemeChoice } from '#app/ui/forms/theme-choice.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { User } from '#shared/accounts/schema.ts';
import { formatUnreadCount } from '#shared/notifications/text-rules.ts';
import { menuDestinations } from './menu-destinations.tsx';
import { type Destination, makeDestination, NavItem } from './navigation.tsx';

const ROW_CLASSES =
  'flex min-h-11 w-full cursor-pointer items-center gap-3 rounded-control px-3 font-semibold text-field';

const NOTIFICATIONS = makeDestination('Notifications', <Icon icon={Bell} />, paths.notifications);
const OUTBOX = makeDestination('Outbox', <Icon icon={Send} />, paths.outbox);

/** Only one popover is open at a time. */
function closePopover() {
  document.querySelector<HTMLElement>(':popover-open')?.hidePopover();
}

export default function Menu({ user }: { user: User }) {
  const { needsDecision, waiting } = useOutboxCounts();
  const unread = useUnreadCount();
  const outboxCount = needsDecision + waiting;
  return (
    <>
      <div>
        <div className="flex items-center gap-3 px-2 pt-1 pb-3">
          <Avatar name={user.username} size="large" />
          <div className="min-w-0">
            <p className="truncate font-display font-bold text-label">{user.username}</p>
            <p className="truncate text-muted text-small">{user.email}</p>
          </div>
        </div>
        <nav aria-label="Menu" className="border-base-300 border-t py-1.5">
          {menuDestinations(isAdmin(user)).map((destination) => (
            <MenuLink key={destination.to} destination={destination} />
          ))}
          <MenuLink destination={NOTIFICATIONS} className="md:hidden">
            {unread > 0 && (
              <span className="ml-auto grid h-6 min-w-6 place-items-center rounded-full bg-neutral px-2 font-display text-neutral-content text-small">
                {formatUnreadCount(unread)}
                <span className="sr-only"> unread</span>
              </span>
            )}
          </MenuLink>
          {outboxCount > 0 && (
            <MenuLink destination={OUTBOX}>
              <span
                className={`ml-auto grid h-6 min-w-6 place-items-center rounded-full px-2 font-display text-small ${needsDecision > 0 ? 'bg-error text-error-content' : 'bg-base-300'}`}
              >
                {outboxCount}
              </span>
            </MenuLink>
          )}
        </nav>
        <div className="pb-1.5 md:hidden">
          <ThemeChoice />
        </div>
        <InstallRow />
        <button
          type="button"
          className={ROW_CLASSES}
          onClick={() => {
            closePopover();
            void requestLogout();
          }}
        >
          <span className="grid w-6 place-items-center">
            <Icon icon={LogOut} />
          </span>
          Log out
        </button>
      </div>
      {/* Outside the popover, whose content is hidden once it is closed. */}
      {createPortal(<LogoutDialog />, document.body)}
    </>
  );
}

/** Shown in a browser tab, where the app can be installed. */
function InstallRow() {
  const method = useObservable(installMethodState);
  const openSheet = useSetAtom(isInstallSheetOpenAtom);
  if (method === null) return null;
  return (
    <button
      type="button"
      className={ROW_CLASSES}
      onClick={() => {
        closePopover();
        if (method === 'prompt') void promptInstall();
        else openSheet(true);
      }}
    >
      <span className="grid w-6 place-items-center">
        <Icon icon={Download} />
      </span>
      Install
    </button>
  );
}

type LinkProps = { destination: Destination; className?: string; children?: ReactNode };

function MenuLink({ destination, className = '', children }: LinkProps) {
  return (
    <NavItem
      destination={destination}
      onClick={closePopover}
      className={`${ROW_CLASSES} aria-[current=page]:bg-base-300 ${className}`}
    >
      <span className="grid w-6 place-items-center">{destination.icon}</span>
      {destination.label}
      {children}
    </NavItem>
  );
}
