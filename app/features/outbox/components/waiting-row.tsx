import { CircleAlert, Clock, RotateCw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { confirmDiscard, tryNow } from '#app/features/outbox/actions.ts';
import { IconButton, SecondaryButton } from '#app/ui/button.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { keepsFailing } from '#sync/client/outbox/retry.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { choiceOf, optionOf, questionOf } from './outbox-messages.ts';
import { OutboxRow } from './outbox-row.tsx';

export function WaitingRow({ item, thumbnail }: { item: OutboxItem; thumbnail: ReactNode }) {
  const { op } = item;
  const isSending = op.state === 'sending';
  const option = optionOf(op);
  return (
    <OutboxRow
      item={item}
      thumbnail={thumbnail}
      status={
        <>
          {isSending ? <SpinnerIcon size={16} /> : <Icon icon={Clock} size={16} />}
          <span className={option === null ? undefined : 'whitespace-nowrap'}>
            {operationOf(op).words.waiting(op.payload)}
          </span>
          {option !== null && (
            <span className="flex min-w-0 items-center gap-2 font-semibold text-base-content">
              <OptionLetter option={option} />
              <span className="line-clamp-1 wrap-anywhere">{choiceOf(item)}</span>
            </span>
          )}
          {isSending && <span className="sr-only">(being sent)</span>}
        </>
      }
      cornerAction={
        !keepsFailing(op) && (
          <IconButton
            icon={Trash2}
            label={`Discard: ${questionOf(item)}`}
            onClick={() => confirmDiscard(op)}
            className="bg-transparent text-muted"
          />
        )
      }
    >
      {keepsFailing(op) && <KeepsFailing op={op} />}
    </OutboxRow>
  );
}

/** Shown when the upload of a poll has failed several times despite a connection. */
function KeepsFailing({ op }: { op: Op }) {
  return (
    <>
      <p className="flex gap-2 px-1 py-2.5 text-body">
        <Icon icon={CircleAlert} size={16} className="mt-1 shrink-0 text-error" />
        <span>
          <b className="font-bold">Keeps failing.</b> The upload does not get through, so it is retried less
          and less often. It may work on another network.
        </span>
      </p>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        <SecondaryButton onClick={() => void tryNow(op)} className="px-2">
          <Icon icon={RotateCw} size={16} className="max-xs:hidden" /> Try now
        </SecondaryButton>
        <SecondaryButton onClick={() => confirmDiscard(op)} className="px-2">
          <Icon icon={Trash2} size={16} className="max-xs:hidden" /> Discard
        </SecondaryButton>
      </div>
    </>
  );
}
