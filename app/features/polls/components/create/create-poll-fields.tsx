import { CloudOff } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import type { Texts } from '#app/features/polls/lib/create-poll-form.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FieldError, SliderField } from '#app/ui/forms/field.tsx';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { Coin, Icon } from '#app/ui/icon.tsx';
import { DURATION_OPTIONS_DAYS, QUESTION_MAX_LENGTH, RESPONSES_MIN } from '#shared/polls/constants.ts';

type QuestionProps = {
  value: string;
  isInvalid: boolean;
  isReadOnly: boolean;
  onChange(value: string): void;
};

export function QuestionField({ value, isInvalid, isReadOnly, onChange }: QuestionProps) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <div className="flex justify-between">
        <label htmlFor={id} className="font-semibold text-body">
          Question
        </label>
        <span className="figures text-muted text-small">
          {value.length} / {QUESTION_MAX_LENGTH}
        </span>
      </div>
      <textarea
        id={id}
        data-first-focus=""
        rows={1}
        value={value}
        maxLength={QUESTION_MAX_LENGTH}
        readOnly={isReadOnly}
        autoComplete="off"
        aria-invalid={isInvalid}
        aria-describedby={`${id}-error`}
        onChange={(event) => onChange(event.target.value.replace(/\n/g, ' '))}
        onKeyDown={(event) => {
          const { isComposing, keyCode } = event.nativeEvent;
          // An Enter that confirms an IME conversion has the key code 229; in Safari nothing else tells, see WebKit bug 165004.
          if (event.key !== 'Enter' || isComposing || keyCode === 229) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        className={`field-sizing-content max-h-28 min-h-12 w-full resize-none rounded-control border bg-base-200 px-3.5 py-3 font-bold font-display text-label focus:outline-2 focus:outline-offset-[-1px] ${isInvalid ? 'border-error outline-error' : 'border-edge outline-base-content'}`}
      />
      <p id={`${id}-error`} className="empty:absolute" aria-live="polite">
        {isInvalid && <FieldError>What would you like to ask?</FieldError>}
      </p>
    </div>
  );
}

type FooterProps = {
  cost: number;
  spendable: number;
  isDisabled: boolean;
  submitLabel: string;
  onCancel(): void;
};

export function CreatePollFooter({ cost, spendable, isDisabled, submitLabel, onCancel }: FooterProps) {
  const isOnline = useOnline();
  return (
    <footer className="grid gap-2.5 border-base-300 border-t px-4 pt-2.5 pb-[calc(0.75rem+env(safe-area-inset-bottom))] md:col-start-2 md:self-end md:border-0 md:px-0 md:pt-0 md:pb-0">
      {!isOnline && (
        <div className="flex gap-3 rounded-control bg-base-200 p-3">
          <Icon icon={CloudOff} />
          <p className="text-body">
            <b className="font-bold">You are offline.</b> Your poll will be posted when you are back online.
            Your points will be deducted then.
          </p>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-2 text-body">
        <Coin size={16} />
        <span className="font-bold font-display text-label">Costs {cost} points</span>
        <span className="ml-auto text-muted">
          {spendable >= cost ? `${spendable - cost} left after this` : `You have ${spendable}`}
        </span>
      </div>
      <div className="flex gap-2">
        <SecondaryButton onClick={onCancel} className="min-h-12 max-md:hidden">
          Cancel
        </SecondaryButton>
        <PrimaryButton type="submit" disabled={isDisabled} className="flex-1">
          {submitLabel}
        </PrimaryButton>
      </div>
      <p className="text-center text-muted text-small">
        Keep it suitable for everyone.{' '}
        <Link to={paths.rules.href()} className="font-semibold text-base-content underline">
          The rules
        </Link>
      </p>
    </footer>
  );
}

const DURATION_SEGMENTS = Object.fromEntries(
  DURATION_OPTIONS_DAYS.map((days) => [String(days), countLabel(days, 'day')]),
);

type DurationAndResponsesProps = { texts: Texts; maxResponses: number; onChange(part: Partial<Texts>): void };

/** The fields for the duration of the poll and the responses wanted. */
export function DurationAndResponsesFields({ texts, maxResponses, onChange }: DurationAndResponsesProps) {
  return (
    <div className="grid content-start gap-5 md:gap-6">
      <div className="grid gap-1.5">
        <span className="font-semibold text-body">Duration</span>
        <SegmentedControl
          label="Duration"
          value={String(texts.durationDays)}
          segments={DURATION_SEGMENTS}
          onChange={(days) => onChange({ durationDays: Number(days) })}
          className="in-card [&>button]:px-1"
        />
      </div>
      <div>
        <SliderField
          label="Responses wanted"
          min={RESPONSES_MIN}
          // The points may have become fewer since the value was chosen.
          max={Math.max(maxResponses, texts.responsesWanted)}
          value={texts.responsesWanted}
          valueClassName="text-title"
          onChange={(responsesWanted) => onChange({ responsesWanted })}
        />
        <p className="pt-2 text-muted text-small">
          One point for each response. {maxResponses === RESPONSES_MIN && 'Vote to earn more points. '}
          The poll closes when it has them all, or when its time is up.
        </p>
      </div>
    </div>
  );
}
