import { Bell, LogOut, Send } from 'lucide-react';
import { createPortal } from 'react-dom';
import { LogOutDialog } from '#app/features/accounts/components/log-out-dialog.tsx';
import { useOutboxCounts } from '#app/lib/engine/outbox-counts.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { ThemeChoice } from '#app/ui/theme-choice.tsx';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { User } from '#shared/accounts/schema.ts';
import { menuDestinations } from './destinations.tsx';
import { NavTo } from './nav-to.tsx';

const ROW =
  'flex min-h-11 w-full cursor-pointer items-center gap-3 rounded-key px-3 font-semibold text-field';

/** The menu is a popover, of which one is open at a time. */
function close() {
  document.querySelector<HTMLElement>(':popover-open')?.hidePopover();
}

/** Who is logged in, where one can go, the theme, and the way out. */
export default function Menu({ user }: { user: User }) {
  const { needsYou, waiting } = useOutboxCounts();
  const inOutbox = needsYou + waiting;
  return (
    <>
      <div>
        <div className="flex items-center gap-3 px-2 pt-1 pb-3">
          <Avatar name={user.username} size="large" />
          <div className="min-w-0">
            <p className="truncate font-display font-bold text-key">{user.username}</p>
            <p className="truncate text-muted text-small">{user.email}</p>
          </div>
        </div>
        <nav aria-label="Menu" className="border-base-300 border-t py-1.5">
          {menuDestinations(isAdmin(user)).map((destination) => (
            <NavTo
              key={destination.to}
              destination={destination}
              onClick={close}
              className={`${ROW} aria-[current=page]:bg-base-300`}
            >
              <span className="grid w-6 place-items-center">{destination.icon}</span>
              {destination.label}
            </NavTo>
          ))}
          <NavTo
            destination={{ to: paths.notifications.href() }}
            onClick={close}
            className={`${ROW} aria-[current=page]:bg-base-300 md:hidden`}
          >
            <span className="grid w-6 place-items-center">
              <Icon of={Bell} />
            </span>
            Notifications
          </NavTo>
          {inOutbox > 0 && (
            <NavTo
              destination={{ to: paths.outbox.href() }}
              onClick={close}
              className={`${ROW} aria-[current=page]:bg-base-300`}
            >
              <span className="grid w-6 place-items-center">
                <Icon of={Send} />
              </span>
              <span className="flex-1">Outbox</span>
              <span
                className={`grid h-6 min-w-6 place-items-center rounded-full px-2 font-display text-small ${needsYou > 0 ? 'bg-error text-error-content' : 'bg-base-300'}`}
              >
                {inOutbox}
              </span>
            </NavTo>
          )}
        </nav>
        <div className="pb-1.5 md:hidden">
          <ThemeChoice />
        </div>
        <button
          type="button"
          className={ROW}
          onClick={() => {
            close();
            void import('#app/features/accounts/actions.ts').then(({ askToLogOut }) => askToLogOut());
          }}
        >
          <span className="grid w-6 place-items-center">
            <Icon of={LogOut} />
          </span>
          Log out
        </button>
      </div>
      {createPortal(<LogOutDialog />, document.body)}
    </>
  );
}
