import type { ReactNode } from 'react';
import { lastSnapshot } from '#app/features/polls/lib/home-snapshot.ts';
import { useUser } from '#app/lib/engine/session.ts';

const EMPTY = { __html: '' };

/**
 * What the Polls tab looked like when it was last used, instead of the skeletons in `children`. `public/early.js` fills it before
 * the app runs, and hydration leaves its content alone.
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
        // biome-ignore lint/security/noDangerouslySetInnerHtml: always empty; React leaves what is in the element alone
        dangerouslySetInnerHTML={EMPTY}
        suppressHydrationWarning
      />
      <div className="peer-[:not(:empty)]:hidden">{children}</div>
    </>
  );
}
