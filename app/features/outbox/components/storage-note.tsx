import { readStorageRisk } from '#app/features/outbox/lib/storage-risk.ts';
import { evictionState } from '#app/lib/engine/engine.ts';
import { EVICTION_TITLE, evictionMessage } from '#app/lib/engine/eviction-message.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { useAsync } from '#app/lib/use-async.ts';

const RISK_MESSAGES = {
  none: 'Your changes are saved on this device until they are sent.',
  low_space:
    'Your changes are saved on this device until they are sent. The browser may remove them only if the device runs out of space.',
  seven_days:
    'Your changes are saved on this device. If you do not visit for 7 days, this browser may remove them. To keep them safe, add the app to the home screen (Share, then Add to Home Screen; on a Mac, Add to Dock), or come back while you are online.',
} as const;

/** How safely waiting changes are stored on this device. */
export function StorageNote() {
  const risk = useAsync(readStorageRisk, 'low_space');
  if (risk === undefined) return null;
  return <p className="px-1 text-body text-muted">{RISK_MESSAGES[risk]}</p>;
}

/** Says that the browser has removed this user's data from the device; renders nothing if it has not. */
export function EvictionNote() {
  const eviction = useObservable(evictionState);
  const session = useSession();
  if (eviction === null || session.status !== 'user' || session.user.id !== eviction.userId) return null;
  return (
    <p role="status" className="mt-3 card p-4 text-body">
      <b className="font-bold">{EVICTION_TITLE}.</b> {evictionMessage(eviction)}
    </p>
  );
}
