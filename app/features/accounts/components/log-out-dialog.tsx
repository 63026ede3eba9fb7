import { useAtom } from 'jotai';
import { useEffect, useId, useState } from 'react';
import { logOut, sendWaiting } from '#app/features/accounts/actions.ts';
import { logOutAskedAtom } from '#app/features/accounts/atoms.ts';
import { useWaitingOps } from '#app/features/accounts/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { changesLabel } from '#app/lib/engine/outbox-words.ts';
import { Key, QuietButton } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/modal.tsx';

/** Logging out with changes waiting: send them first, keep them for this account, or discard them. */
export function LogOutDialog() {
  const [isAsked, setAsked] = useAtom(logOutAskedAtom);
  return isAsked ? <Question onClose={() => setAsked(false)} /> : null;
}

function Question({ onClose }: { onClose(): void }) {
  const titleId = useId();
  const waiting = useWaitingOps();
  const isReachable = useReachable();
  const [isSending, setSending] = useState(false);
  const count = waiting?.length ?? 0;

  useEffect(() => {
    if (isSending && waiting?.length === 0) void logOut();
  }, [isSending, waiting]);

  function send() {
    setSending(true);
    void sendWaiting();
  }

  return (
    <Modal
      labelledBy={titleId}
      onClose={onClose}
      className="w-full rounded-t-card max-md:mb-0 md:w-[26rem] md:rounded-card"
    >
      <div className="grid gap-2 p-5 pb-[calc(1.25rem+env(safe-area-inset-bottom))]">
        <h2 id={titleId} className="text-title">
          Log out with {changesLabel(count)} waiting?
        </h2>
        <p className="pb-2 text-field text-muted" aria-live="polite">
          {isSending && isReachable && 'Sending them now. You are logged out as soon as they have arrived.'}
          {isSending &&
            !isReachable &&
            'There is no connection. They are sent, and you are logged out, as soon as there is one.'}
          {!isSending && `${count === 1 ? 'It has' : 'They have'} not reached the server yet.`}
        </p>
        <Key onClick={send} disabled={isSending && isReachable}>
          {isSending ? (isReachable ? 'Sending…' : 'Try again') : 'Send, then log out'}
        </Key>
        <QuietButton className="min-h-12" onClick={() => void logOut()}>
          Keep for this account
        </QuietButton>
        <QuietButton
          ghost
          className="min-h-12 text-error"
          onClick={() => void logOut(waiting?.map(({ opId }) => opId))}
        >
          Discard {count}
        </QuietButton>
        <QuietButton ghost className="min-h-12" onClick={onClose}>
          Cancel
        </QuietButton>
      </div>
    </Modal>
  );
}
