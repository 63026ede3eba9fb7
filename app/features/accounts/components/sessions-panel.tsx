import { Laptop, LogOut, type LucideIcon, Monitor, Smartphone, Tablet } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { endOtherSessions, endSession, readSessions } from '#app/features/accounts/actions.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useResponseOrder } from '#app/lib/response-order.ts';
import { dateLabel, durationLabel } from '#app/lib/time.ts';
import { showToast } from '#app/lib/toasts.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import type { Session } from '#shared/accounts/schema.ts';
import { DAY_MS } from '#shared/time.ts';

const DEVICE_ICONS: readonly (readonly [RegExp, LucideIcon])[] = [
  [/Android|iPhone/, Smartphone],
  [/iPad/, Tablet],
  [/Linux|ChromeOS/, Laptop],
];

/** The user's sessions, with buttons to end them. Needs the server; nothing is stored on the device. */
export function SessionsPanel({ userId }: { userId: number }) {
  const isReachable = useReachable();
  const [sessions, setSessions] = useState<readonly Session[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isEnding, setEnding] = useState(false);
  const [isConfirmOpen, setConfirmOpen] = useState(false);

  const order = useResponseOrder();

  const refresh = useCallback(async () => {
    const request = order.send();
    try {
      const received = await readSessions(userId);
      if (request.isOutdated()) return;
      request.accept();
      setSessions(received);
      setError(null);
    } catch (cause) {
      if (!request.isOutdated()) setError(errorMessage(cause));
    }
  }, [userId, order]);
  useEffect(() => {
    if (isReachable) void refresh();
  }, [isReachable, refresh]);

  async function end(work: () => Promise<void>, successTitle: string) {
    setConfirmOpen(false);
    setEnding(true);
    try {
      await work();
      order.discardRunning();
      showToast('success', successTitle, null, { topic: 'account' });
      await refresh();
    } catch (cause) {
      setError(errorMessage(cause));
    } finally {
      setEnding(false);
    }
  }

  const otherSessions = sessions?.filter(({ current }) => !current) ?? [];
  const endOthersLabel = `End ${otherSessions.length === 1 ? 'the other session' : countLabel(otherSessions.length, 'other session')}`;
  return (
    <Panel title="Where you are logged in">
      <FocusFallback className="grid gap-4">
        {sessions === null && error === null && isReachable && <SpinnerIcon />}
        <ul className="grid gap-3">
          {sessions?.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isEnding={isEnding}
              isReachable={isReachable}
              onEnd={() => void end(() => endSession(userId, session.id), 'Session ended')}
            />
          ))}
        </ul>
        {isReachable && otherSessions.length > 0 && (
          <SecondaryButton
            className="min-h-12 text-error"
            aria-disabled={isEnding}
            onClick={() => isEnding || setConfirmOpen(true)}
          >
            <Icon icon={LogOut} /> {endOthersLabel}
          </SecondaryButton>
        )}
        {isConfirmOpen && (
          <SheetDialog title={`${endOthersLabel}?`} onClose={() => setConfirmOpen(false)}>
            <p className="pb-2 text-body text-muted">Anyone using the app there will have to log in again.</p>
            <PrimaryButton onClick={() => void end(() => endOtherSessions(userId), 'Other sessions ended')}>
              {endOthersLabel}
            </PrimaryButton>
            <SecondaryButton ghost className="min-h-12" onClick={() => setConfirmOpen(false)}>
              Cancel
            </SecondaryButton>
          </SheetDialog>
        )}
        {error !== null && <FormError>{error}</FormError>}
        <OfflineNotice>You are offline. Connect to manage your sessions.</OfflineNotice>
      </FocusFallback>
    </Panel>
  );
}

type RowProps = { session: Session; isEnding: boolean; isReachable: boolean; onEnd(): void };

function SessionRow({ session, isEnding, isReachable, onEnd }: RowProps) {
  const { current, network } = session;
  const device = session.device || 'Another browser';
  const icon = DEVICE_ICONS.find(([pattern]) => pattern.test(device))?.[1] ?? Monitor;
  const details = [network && `Network ${network}`, lastUseLabel(session)].filter((detail) => detail !== '');
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-3">
      <span className="grid size-11 shrink-0 place-items-center rounded-control bg-base-300">
        <Icon icon={icon} />
      </span>
      <span className="min-w-0 flex-1 basis-32">
        <span className="block font-semibold text-body">{device}</span>
        <span className="block text-muted text-small">{details.join(' · ')}</span>
      </span>
      {current && (
        <span className="shrink-0 rounded-full bg-neutral px-2.5 py-1 font-semibold text-neutral-content text-small">
          This device
        </span>
      )}
      {!current && isReachable && (
        <SecondaryButton
          aria-label={`End ${device}`}
          aria-disabled={isEnding}
          onClick={() => isEnding || onEnd()}
        >
          End
        </SecondaryButton>
      )}
    </li>
  );
}

/** "now", "2 hours ago" or "14 Nov". The server records the use of a session at most once an hour. */
function lastUseLabel({ current, lastUsedAt }: Session): string {
  if (current) return 'now';
  const sinceMs = Date.now() - Date.parse(lastUsedAt);
  return sinceMs < DAY_MS ? `${durationLabel(sinceMs)} ago` : dateLabel(lastUsedAt);
}
