import { type FormEvent, useId, useState } from 'react';
import { Link } from 'react-router-dom';
import { reportPoll } from '#app/features/polls/actions.ts';
import { PollThumbnail } from '#app/features/polls/components/card/poll-thumbnail.tsx';
import { REPORT_REASONS } from '#app/lib/report-reasons.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { ANONYMOUS_USERNAME } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { REPORT_TEXT_MAX_LENGTH } from '#shared/reports/constants.ts';
import { type ReportReason, reportReasonSchema } from '#shared/reports/schema.ts';

/** Asks for the reason of a report. The poll disappears as soon as the report is stored on this device. */
export function ReportDialog({ poll, onClose }: { poll: Poll; onClose(): void }) {
  const [reason, setReason] = useState<ReportReason | null>(null);
  const [text, setText] = useState('');
  const [isSaving, setSaving] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (reason === null || isSaving) return;
    setSaving(true);
    const trimmedText = text.trim();
    const isStored = await reportPoll(
      poll,
      reason,
      reason === 'other' && trimmedText !== '' ? trimmedText : undefined,
    );
    setSaving(false);
    if (isStored) onClose();
  }

  return (
    <SheetDialog title="Report this poll" onClose={onClose} hasCloseButton>
      <form onSubmit={submit}>
        <div className="flex items-center gap-3 pb-2">
          <div className="w-[6.25rem] shrink-0">
            <PollThumbnail poll={poll} />
          </div>
          <div className="min-w-0">
            <p dir="auto" className="truncate font-bold text-body">
              {poll.question}
            </p>
            <p className="truncate text-muted text-small">by {poll.user?.username ?? ANONYMOUS_USERNAME}</p>
          </div>
        </div>
        <fieldset className="-mx-2">
          <legend className="sr-only">Reason</legend>
          {reportReasonSchema.options.map((listedReason) => (
            <Reason
              key={listedReason}
              reason={listedReason}
              isChosen={listedReason === reason}
              onChoose={() => setReason(listedReason)}
            />
          ))}
        </fieldset>
        {reason === 'other' && <ReportTextField value={text} onChange={setText} />}
        <p className="py-3 text-muted text-small">
          It disappears for you at once. The maker never learns who reported it.{' '}
          <Link to={paths.rules.href()} className="font-semibold text-base-content underline">
            The rules
          </Link>
        </p>
        <div className="flex gap-2">
          <SecondaryButton className="min-h-12" onClick={onClose}>
            Cancel
          </SecondaryButton>
          <PrimaryButton type="submit" disabled={reason === null} aria-disabled={isSaving} className="flex-1">
            Report
          </PrimaryButton>
        </div>
      </form>
    </SheetDialog>
  );
}

type ReasonProps = { reason: ReportReason; isChosen: boolean; onChoose(): void };

function Reason({ reason, isChosen, onChoose }: ReasonProps) {
  const { label, description } = REPORT_REASONS[reason];
  const id = useId();
  return (
    <label
      className={`flex min-h-12 cursor-pointer items-center gap-3 rounded-control px-2 py-1.5 ${isChosen ? 'bg-base-300' : ''}`}
    >
      <input
        type="radio"
        name="reason"
        checked={isChosen}
        onChange={onChoose}
        aria-label={label}
        aria-describedby={id}
        className="size-7 shrink-0 cursor-pointer accent-base-content"
      />
      <span>
        <span className="block font-semibold text-body">{label}</span>
        <span id={id} className="block text-muted text-small">
          {description}
        </span>
      </span>
    </label>
  );
}

function ReportTextField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const id = useId();
  return (
    <div className="grid gap-1.5 pt-2">
      <div className="flex justify-between">
        <label htmlFor={id} className="font-semibold text-body">
          What is wrong with it?
        </label>
        <span className="figures text-muted text-small">
          {value.length} / {REPORT_TEXT_MAX_LENGTH}
        </span>
      </div>
      <textarea
        id={id}
        rows={3}
        value={value}
        maxLength={REPORT_TEXT_MAX_LENGTH}
        onChange={(event) => onChange(event.target.value)}
        className="field-sizing-content max-h-28 w-full resize-none rounded-control border border-edge bg-base-200 px-3.5 py-3 text-field outline-base-content focus:outline-2 focus:outline-offset-[-1px]"
      />
    </div>
  );
}
