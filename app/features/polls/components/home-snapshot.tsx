import type { ReactNode } from 'react';
import { lastSnapshot } from '#app/features/polls/lib/home-snapshot.ts';
import { useUser } from '#app/lib/engine/session.ts';

const EMPTY = { __html: '' };

/**
 * Shows the snapshot of the Polls tab, or the skeletons in `children` if there is none. `public/early.js` inserts the snapshot
 * before the app runs, and hydration leaves it untouched. While the app loads, several fallbacks with this component follow one
 * another: each moves the same nodes into its own element, so that images do not flicker. For another user, `key` replaces the
 * element with an empty one: React would not remove the inserted nodes.
 */
export function HomeSnapshot({ children }: { children: ReactNode }) {
  const userId = useUser()?.id ?? null;
  return (
    <>
      <div
        key={userId}
        ref={(host) => {
          const snapshot = host && lastSnapshot(userId);
          if (host && snapshot && snapshot.parentNode !== host) host.replaceChildren(snapshot);
        }}
        id="home-snapshot"
        className="peer"
        inert
        aria-hidden="true"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: always empty; React leaves the inserted snapshot alone
        dangerouslySetInnerHTML={EMPTY}
        suppressHydrationWarning
      />
      <div className="peer-[:not(:empty)]:hidden">{children}</div>
    </>
  );
}
