import { useStorageRisk } from '#app/features/outbox/queries.ts';
import { evictionState } from '#app/lib/engine/engine.ts';
import { EVICTED_TITLE, evictionWords } from '#app/lib/engine/outbox-words.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';

const WORDS = {
  none: 'Saved on this device until it is sent.',
  low_room:
    'Saved on this device until it is sent. The browser may remove it only if the device runs out of room.',
  seven_days:
    'Saved on this device. After 7 days without a visit this browser may remove what waits. To keep it safe, add the app to the home screen (Share, then Add to Home Screen), or come back while there is a connection.',
} as const;

/** How safe what waits is on this device. */
export function StorageNote() {
  const risk = useStorageRisk();
  if (risk === null) return null;
  return <p className="px-1 text-body text-muted">{WORDS[risk]}</p>;
}

/** What the browser has removed of what waited on this device. */
export function EvictionNote() {
  const eviction = useObservable(evictionState);
  const session = useSession();
  if (eviction === null || session.status !== 'user' || session.user.id !== eviction.userId) return null;
  return (
    <p role="status" className="mt-3 rounded-card bg-base-100 p-4 text-body shadow-card">
      <b className="font-bold">{EVICTED_TITLE}.</b> {evictionWords(eviction)}
    </p>
  );
}
