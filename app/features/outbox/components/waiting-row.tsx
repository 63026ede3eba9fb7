import { CircleAlert, Clock, RotateCw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { askToWithdraw, tryNow } from '#app/features/outbox/actions.ts';
import { IconButton, QuietButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Letter } from '#app/ui/letter.tsx';
import { Turning } from '#app/ui/spinner.tsx';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { keepsFailing } from '#sync/client/outbox/retry.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { OutboxRow } from './outbox-row.tsx';
import { choiceOf, optionOf, questionOf } from './outbox-words.ts';

/** A change that goes out as soon as it can. */
export function WaitingRow({ item, pair }: { item: OutboxItem; pair: ReactNode }) {
  const { op } = item;
  const isSending = op.state === 'sending';
  const option = optionOf(op);
  return (
    <OutboxRow
      item={item}
      pair={pair}
      status={
        <>
          {isSending ? <Turning size={16} /> : <Icon of={Clock} size={16} />}
          <span className={option === null ? undefined : 'whitespace-nowrap'}>
            {operationOf(op).words.waiting(op.payload)}
          </span>
          {option !== null && (
            <span className="flex min-w-0 items-center gap-2 font-semibold text-base-content">
              <Letter option={option} />
              <span className="line-clamp-1 wrap-anywhere">{choiceOf(item)}</span>
            </span>
          )}
          {isSending && <span className="sr-only">(being sent)</span>}
        </>
      }
      end={
        !keepsFailing(op) && (
          <IconButton
            icon={Trash2}
            label={`Discard: ${questionOf(item)}`}
            onClick={() => askToWithdraw(op)}
            className="bg-transparent text-muted"
          />
        )
      }
    >
      {keepsFailing(op) && <KeepsFailing op={op} />}
    </OutboxRow>
  );
}

/** The upload of a poll has failed several times although there is a connection. */
function KeepsFailing({ op }: { op: Op }) {
  return (
    <>
      <p className="flex gap-2 px-1 py-2.5 text-body">
        <Icon of={CircleAlert} size={16} className="mt-1 shrink-0 text-error" />
        <span>
          <b className="font-bold">Keeps failing.</b> The pictures did not get through, so it is tried less
          and less often. On another network it may work.
        </span>
      </p>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        <QuietButton onClick={() => void tryNow(op)} className="px-2">
          <Icon of={RotateCw} size={16} className="max-xs:hidden" /> Try now
        </QuietButton>
        <QuietButton onClick={() => askToWithdraw(op)} className="px-2">
          <Icon of={Trash2} size={16} className="max-xs:hidden" /> Discard
        </QuietButton>
      </div>
    </>
  );
}
