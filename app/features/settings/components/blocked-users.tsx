import { useEffect } from 'react';
import { pullBlocks, unblock } from '#app/features/settings/actions.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { SecondaryButton } from '#app/ui/button.tsx';
import { UnsentChip, WaitingChip } from '#app/ui/chip.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { readBlockedUsers } from '#sync/client/cache/reads.ts';

/** The users whom the user has blocked, with a button to unblock each. */
export function BlockedUsers() {
  const blockedUsers = useUserQuery(readBlockedUsers);
  const isOnline = useOnline();
  useEffect(() => {
    if (isOnline) void pullBlocks();
  }, [isOnline]);
  return (
    <Panel title="Blocked people">
      <FocusFallback>
        {blockedUsers?.length === 0 && (
          <p className="text-body text-muted">
            You have not blocked anyone. You can block people from the menu of any of their polls.
          </p>
        )}
        <ul className="grid gap-2 empty:hidden">
          {blockedUsers?.map(({ username, state }) => (
            <li key={username} className="flex min-h-12 flex-wrap items-center gap-3">
              <Avatar name={username} size="medium" />
              <span className="wrap-anywhere min-w-0 flex-1 basis-24 font-semibold text-body">
                {username}
              </span>
              {state === 'waiting' && <WaitingChip />}
              {state === 'unsent' && <UnsentChip />}
              <SecondaryButton aria-label={`Unblock ${username}`} onClick={() => void unblock(username)}>
                Unblock
              </SecondaryButton>
            </li>
          ))}
        </ul>
      </FocusFallback>
    </Panel>
  );
}
