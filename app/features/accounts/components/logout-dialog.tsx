import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { isLogoutDialogOpenAtom } from '#app/features/accounts/atoms.ts';
import { logOut, sendWaitingChanges } from '#app/features/accounts/lib/log-out.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { readOutbox } from '#sync/client/cache/reads.ts';
import { isPostponed } from '#sync/client/outbox/retry.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';

/** Asks what to do with waiting changes before a logout: send, keep or discard them. They may be sent while it is open. */
export function LogoutDialog() {
  const [isOpen, setOpen] = useAtom(isLogoutDialogOpenAtom);
  // A logout in another tab removes the dialog, which must not reappear at the next login.
  useEffect(() => () => setOpen(false), [setOpen]);
  return isOpen ? <Dialog onClose={() => setOpen(false)} /> : null;
}

function Dialog({ onClose }: { onClose(): void }) {
  const waiting = useUserQuery(readOutbox)?.waiting;
  const isReachable = useReachable();
  const [isSending, setSending] = useState(false);
  const count = waiting?.length ?? 0;

  useEffect(() => {
    if (isSending && waiting?.length === 0) void logOut();
  }, [isSending, waiting]);

  function sendThenLogOut() {
    setSending(true);
    void sendWaitingChanges();
  }

  if (waiting === undefined) return null;
  if (count === 0 && !isSending) {
    return (
      <SheetDialog title="Log out?" onClose={onClose}>
        <p className="pb-2 text-field text-muted" aria-live="polite">
          Your changes have reached the server.
        </p>
        <PrimaryButton onClick={() => void logOut()}>Log out</PrimaryButton>
        <SecondaryButton ghost className="min-h-12" onClick={onClose}>
          Cancel
        </SecondaryButton>
      </SheetDialog>
    );
  }
  const isOne = count === 1;
  // A postponed op holds back later ones about the same poll, except that votes and reports, which `changesPolls`
  // tells apart, do not wait for each other.
  const subjectOf = (op: Op) => `${op.entityId} ${operationOf(op).changesPolls}`;
  const postponed = new Set(waiting.filter(isPostponed).map(subjectOf));
  const isStuck = isReachable && count > 0 && waiting.every((op) => postponed.has(subjectOf(op)));
  const isUnderWay = isSending && isReachable;
  return (
    <SheetDialog title={`Log out with ${countLabel(count, 'change')} waiting?`} onClose={onClose}>
      <p className="pb-2 text-field text-muted" aria-live="polite">
        {isStuck && `${isOne ? 'It' : 'They'} cannot be sent yet.`}
        {isUnderWay &&
          !isStuck &&
          `Sending ${isOne ? 'it' : 'them'} now. You will be logged out as soon as ${isOne ? 'it has' : 'they have'} arrived.`}
        {isSending &&
          !isReachable &&
          `You are offline. ${isOne ? 'It' : 'They'} will be sent, and you will be logged out, as soon as you are back online.`}
        {!isSending && !isStuck && `${isOne ? 'It has' : 'They have'} not reached the server yet.`}
      </p>
      {!isStuck && (
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
