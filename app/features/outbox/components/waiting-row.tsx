import { Clock, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { askToWithdraw } from '#app/features/outbox/actions.ts';
import { Icon } from '#app/ui/icon.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { Letter } from '#app/ui/letter.tsx';
import { Turning } from '#app/ui/spinner.tsx';
import { pollCost } from '#shared/polls/rules.ts';
import type { OutboxItem } from '#sync/client/reads.ts';
import { OutboxRow } from './outbox-row.tsx';
import { choiceOf, questionOf } from './outbox-words.ts';

/** A change that goes out as soon as it can. */
export function WaitingRow({ item, pair }: { item: OutboxItem; pair: ReactNode }) {
  const { op } = item;
  const isSending = op.state === 'sending';
  return (
    <OutboxRow
      item={item}
      pair={pair}
      status={
        <>
          {isSending ? <Turning size={16} /> : <Icon of={Clock} size={16} />}
          {op.type === 'vote' ? (
            <>
              <span className="whitespace-nowrap">Your vote</span>
              <span className="flex min-w-0 items-center gap-2 font-semibold text-base-content">
                <Letter option={op.payload.option} />
                <span className="line-clamp-1 wrap-anywhere">{choiceOf(item)}</span>
              </span>
            </>
          ) : (
            `Your poll · costs ${pollCost(op.payload.responsesWanted)} points`
          )}
          {isSending && <span className="sr-only">(being sent)</span>}
        </>
      }
      end={
        <IconButton
          icon={Trash2}
          label={`Discard: ${questionOf(item)}`}
          onClick={() => askToWithdraw(op)}
          className="bg-transparent text-muted"
        />
      }
    />
  );
}
