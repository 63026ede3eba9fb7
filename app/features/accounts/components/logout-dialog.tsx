import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { isLogoutDialogOpenAtom } from '#app/features/accounts/atoms.ts';
import { logOut, sendWaitingChanges } from '#app/features/accounts/lib/log-out.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton, SecondaryButton, SecondaryLink } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { readOutbox } from '#sync/client/cache/reads.ts';
import { isPostponed, postponedOps } from '#sync/client/outbox/retry.ts';
import { isNeverSent } from '#sync/protocol/op.ts';

/** Asks what to do with waiting changes before a logout: send, keep or discard them. They may be sent while it is open. */
export function LogoutDialog() {
  const [isOpen, setOpen] = useAtom(isLogoutDialogOpenAtom);
  // A logout in another tab removes the dialog, which must not reappear at the next login.
  useEffect(() => () => setOpen(false), [setOpen]);
  return isOpen ? <Dialog onClose={() => setOpen(false)} /> : null;
}

function Dialog({ onClose }: { onClose(): void }) {
  const outbox = useUserQuery(readOutbox);
  const session = useSession();
  const isReachable = useReachable();
  const [isSending, setSending] = useState(false);
  /** The ids of the ops that were refused before the dialog opened. */
  const [refusedBefore, setRefusedBefore] = useState<ReadonlySet<string> | null>(null);
  if (outbox !== undefined && refusedBefore === null)
    setRefusedBefore(new Set(outbox.needsDecision.map(({ opId }) => opId)));
  const refusedCount =
    outbox?.needsDecision.filter(({ opId }) => refusedBefore?.has(opId) === false).length ?? 0;
  const haveAllArrived = outbox?.waiting.length === 0 && refusedCount === 0;

  useEffect(() => {
    if (isSending && haveAllArrived) void logOut();
  }, [isSending, haveAllArrived]);

  function sendThenLogOut() {
    setSending(true);
    void sendWaitingChanges();
  }

  if (outbox === undefined || (isSending && haveAllArrived)) return null;
  const { waiting } = outbox;
  const count = waiting.length;
  if (count === 0) {
    return (
      <SheetDialog title="Log out?" onClose={onClose}>
        <p className="pb-2 text-field text-muted" aria-live="polite">
          {refusedCount === 0
            ? 'Your changes have reached the server.'
            : `${countLabel(refusedCount, 'change')} ${refusedCount === 1 ? 'was' : 'were'} refused.`}
        </p>
        {refusedCount !== 0 && (
          <SecondaryLink to={paths.outbox.href()} onClick={onClose} className="min-h-12">
            Review in the outbox
          </SecondaryLink>
        )}
        <PrimaryButton onClick={() => void logOut()}>Log out</PrimaryButton>
        <SecondaryButton ghost className="min-h-12" onClick={onClose}>
          Cancel
        </SecondaryButton>
      </SheetDialog>
    );
  }
  const isOne = count === 1;
  const isStuck = isReachable && postponedOps(waiting, isPostponed).length === count;
  const isUnderWay = isSending && isReachable;
  const needsLogin = session.status === 'user' && session.needsLogin;
  const mayAnyHaveArrived = waiting.some((op) => op.isRepeated === true || !isNeverSent(op));

  function statusText(): string {
    if (needsLogin) return `Log in again to send ${isOne ? 'it' : 'them'}.`;
    if (isStuck) return `${isOne ? 'It' : 'They'} cannot be sent yet.`;
    if (isUnderWay)
      return `Sending ${isOne ? 'it' : 'them'} now. You will be logged out as soon as ${isOne ? 'it has' : 'they have'} arrived.`;
    if (isSending)
      return `You are offline. ${isOne ? 'It' : 'They'} will be sent, and you will be logged out, as soon as you are back online.`;
    return `${isOne ? 'It has' : 'They have'} not ${mayAnyHaveArrived ? 'been confirmed' : 'reached the server'} yet.`;
  }

  return (
    <SheetDialog title={`Log out with ${countLabel(count, 'change')} waiting?`} onClose={onClose}>
      <p className="pb-2 text-field text-muted" aria-live="polite">
        {statusText()}
        {mayAnyHaveArrived &&
          ` If the server has received ${isOne ? 'this change' : 'any of these changes'}, discarding does not undo it.`}
      </p>
      {!isStuck && !needsLogin && (
        <PrimaryButton aria-disabled={isUnderWay} onClick={() => isUnderWay || sendThenLogOut()}>
          {isUnderWay ? 'Sending…' : isSending ? 'Try again' : 'Send, then log out'}
        </PrimaryButton>
      )}
      <SecondaryButton className="min-h-12" onClick={() => void logOut({ keptCount: count })}>
        Keep for this account
      </SecondaryButton>
      <SecondaryButton
        ghost
        className="min-h-12 text-error"
        onClick={() => void logOut({ discarded: waiting.map(({ opId }) => opId) })}
      >
        Discard {count}
      </SecondaryButton>
      <SecondaryButton ghost className="min-h-12" onClick={onClose}>
        Cancel
      </SecondaryButton>
    </SheetDialog>
  );
}
