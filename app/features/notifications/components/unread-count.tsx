import { useEffect } from 'react';
import { refreshNotifications } from '#app/features/notifications/actions.ts';
import { useUnreadCount } from '#app/features/notifications/queries.ts';
import { useOnVisible } from '#app/lib/browser/use-on-visible.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { useOutboxCounts } from '#app/lib/engine/user-query.ts';
import { formatUnreadCount } from '#shared/notifications/text-rules.ts';

async function refresh(): Promise<void> {
  await refreshNotifications();
}

/** The number of unread notifications on the bell. Also refreshes the notifications while a user is logged in. */
export default function UnreadCount() {
  const unread = useUnreadCount();
  const isReachable = useReachable();
  const db = useUserDb();
  useOnVisible(refresh);
  useEffect(() => {
    if (isReachable && db !== null) refresh().catch(() => undefined);
  }, [isReachable, db]);
  if (unread === 0) return null;
  return (
    <span
      key={unread}
      aria-hidden="true"
      className="figures absolute top-0.5 right-0 grid h-5 min-w-5 animate-pop place-items-center rounded-full bg-neutral px-1.5 font-extrabold text-[12px] text-neutral-content leading-5 shadow-gap"
    >
      {formatUnreadCount(unread)}
    </span>
  );
}

/** The number in words, for the label "Notifications" of the bell. */
export function UnreadLabel() {
  const unread = useUnreadCount();
  return unread === 0 ? null : `, ${unread} unread`;
}

/**
 * The dot on the menu button: red while a refused change needs a decision. Otherwise it replaces bell and count where the header
 * has no space for them: on narrow phones, and on any phone while the screen shows a button of its own in the header.
 */
export function MenuDot() {
  const unread = useUnreadCount();
  const { needsDecision } = useOutboxCounts();
  if (needsDecision + unread === 0) return null;
  const look =
    needsDecision > 0
      ? 'bg-error'
      : 'hidden bg-neutral max-[22.5rem]:block max-md:in-[header:has(#header-action>*)]:block';
  return (
    <>
      <span
        aria-hidden="true"
        className={`absolute top-1.5 right-1 size-3 rounded-full shadow-gap ${look}`}
      />
      {needsDecision > 0 && <span className="sr-only">, changes need a decision</span>}
    </>
  );
}
