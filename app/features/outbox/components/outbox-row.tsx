import {
  ChartNoAxesColumn,
  CircleAlert,
  Clock,
  type LucideIcon,
  Pencil,
  RotateCw,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { discard, tryNow } from '#app/features/outbox/actions.ts';
import { refusalMessage } from '#app/lib/api/error-message.ts';
import { paths } from '#app/paths.ts';
import { IconButton, SecondaryButton, SecondaryLink } from '#app/ui/button.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { keepsFailing } from '#sync/client/outbox/retry.ts';
import type { RefusedAction } from '#sync/operations/operation.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { discardWarning, optionLabelOf, refusalReason, refusalTitle, titleOf } from './outbox-messages.ts';

type RefusedProps = {
  item: OutboxItem;
  thumbnail: ReactNode;
  points: number | null;
  onEdit(opId: string): void;
  onTryAgain(op: Op): void;
};

export function RefusedRow({ item, thumbnail, points, onEdit, onTryAgain }: RefusedProps) {
  const { op } = item;
  const isPollGone = op.lastError?.code === 'not_found';
  const actions: readonly RefusedAction[] =
    op.state === 'rejected' ? operationOf(op).refusedActions : ['try_again'];
  return (
    <OutboxRow
      item={item}
      thumbnail={thumbnail}
      status={
        <span className="flex items-center gap-1.5 font-semibold text-error">
          <Icon icon={CircleAlert} size={16} />
          {refusalTitle(op)}
        </span>
      }
    >
      <p className="px-1 py-2.5 text-body">{refusalReason(item, points)}</p>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        {actions.includes('see_results') && !isPollGone && (
          <SecondaryLink to={paths.poll.href(op.entityId)} className="px-2">
            <Icon icon={ChartNoAxesColumn} size={16} className="max-xs:hidden" /> See results
          </SecondaryLink>
        )}
        {actions.includes('edit') && (
          <ActionButton icon={Pencil} label="Edit" onClick={() => onEdit(op.opId)} />
        )}
        {actions.includes('try_again') && (
          <ActionButton icon={RotateCw} label="Try again" onClick={() => onTryAgain(op)} />
        )}
        <ActionButton icon={Trash2} label="Discard" onClick={() => void discard(op)} />
      </div>
    </OutboxRow>
  );
}

export function WaitingRow({ item, thumbnail }: { item: OutboxItem; thumbnail: ReactNode }) {
  const { op } = item;
  const isSending = op.state === 'sending';
  const option = 'option' in op.payload ? op.payload.option : null;
  const [isDiscardOpen, setDiscardOpen] = useState(false);
  const openDiscard = () => setDiscardOpen(true);
  return (
    <OutboxRow
      item={item}
      thumbnail={thumbnail}
      status={
        <>
          {isSending ? <SpinnerIcon size={16} /> : <Icon icon={Clock} size={16} />}
          <span className={option === null ? undefined : 'whitespace-nowrap'}>
            {operationOf(op).texts.waiting(op.payload)}
          </span>
          {option !== null && (
            <span className="flex min-w-0 items-center gap-2 font-semibold text-base-content">
              <OptionLetter option={option} />
              <span className="line-clamp-1 wrap-anywhere">{optionLabelOf(item)}</span>
            </span>
          )}
          {isSending && <span className="sr-only">(being sent)</span>}
        </>
      }
      cornerAction={
        keepsFailing(op) ? undefined : (
          <IconButton
            icon={Trash2}
            label={`Discard: ${titleOf(item)}`}
            onClick={openDiscard}
            className="bg-transparent text-muted"
          />
        )
      }
    >
      {keepsFailing(op) && <RepeatedFailure op={op} onDiscard={openDiscard} />}
      {op.lastError?.code === 'vote_limit' && (
        <p className="px-1 py-2.5 text-body">{refusalMessage(op.lastError)} It will be sent automatically.</p>
      )}
      {isDiscardOpen && <DiscardDialog op={op} onClose={() => setDiscardOpen(false)} />}
    </OutboxRow>
  );
}

/** Shown when the upload of a poll has failed several times despite a connection. */
function RepeatedFailure({ op, onDiscard }: { op: Op; onDiscard(): void }) {
  return (
    <>
      <p className="flex gap-2 px-1 py-2.5 text-body">
        <Icon icon={CircleAlert} size={16} className="mt-1 shrink-0 text-error" />
        <span>
          <b className="font-bold">Keeps failing.</b> The upload is not getting through, so the app is trying
          less and less often. Another network may help.
        </span>
      </p>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        <ActionButton icon={RotateCw} label="Try now" onClick={() => void tryNow(op)} />
        <ActionButton icon={Trash2} label="Discard" onClick={onDiscard} />
      </div>
    </>
  );
}

function DiscardDialog({ op, onClose }: { op: Op; onClose(): void }) {
  function confirm() {
    onClose();
    void discard(op);
  }

  return (
    <SheetDialog title={`Discard this ${operationOf(op).texts.noun}?`} onClose={onClose}>
      <p className="pb-2 text-field text-muted">{discardWarning(op)}</p>
      <SecondaryButton className="min-h-12" onClick={onClose}>
        Keep it
      </SecondaryButton>
      <SecondaryButton ghost className="min-h-12 text-error" onClick={confirm}>
        Discard
      </SecondaryButton>
    </SheetDialog>
  );
}

function ActionButton({ icon, label, onClick }: { icon: LucideIcon; label: string; onClick(): void }) {
  return (
    <SecondaryButton onClick={onClick} className="px-2">
      <Icon icon={icon} size={16} className="max-xs:hidden" /> {label}
    </SecondaryButton>
  );
}

type Props = {
  item: OutboxItem;
  thumbnail: ReactNode;
  status: ReactNode;
  cornerAction?: ReactNode;
  children?: ReactNode;
};

/** A change with the images and the question of its poll. `children` are its actions and messages. */
function OutboxRow({ item, thumbnail, status, cornerAction, children }: Props) {
  return (
    <li className="relative card p-2.5">
      <div className="flex items-start gap-3">
        <div className="w-[6.25rem] shrink-0">{thumbnail}</div>
        <div className="min-w-0 flex-1">
          <h3
            className={`line-clamp-2 wrap-anywhere text-label text-wrap ${cornerAction === undefined ? '' : 'pr-9'}`}
          >
            {titleOf(item)}
          </h3>
          <p className="mt-1 flex min-h-6 items-center gap-2 text-body text-muted">{status}</p>
        </div>
      </div>
      <div className="absolute top-1 right-1 empty:hidden">{cornerAction}</div>
      {children}
    </li>
  );
}
