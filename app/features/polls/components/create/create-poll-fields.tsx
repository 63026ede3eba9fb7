import { useId } from 'react';
import { countLabel } from '#app/lib/count-label.ts';
import { FieldError, SliderField } from '#app/ui/field.tsx';
import { SegmentedControl } from '#app/ui/segmented-control.tsx';
import {
  DURATION_OPTIONS_DAYS,
  QUESTION_MAX_LENGTH,
  QUESTION_REQUIRED_MESSAGE,
  RESPONSES_MIN,
} from '#shared/polls/constants.ts';

type QuestionProps = { value: string; isInvalid: boolean; onChange(value: string): void };

export function QuestionField({ value, isInvalid, onChange }: QuestionProps) {
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
        autoComplete="off"
        aria-invalid={isInvalid}
        aria-describedby={`${id}-error`}
        onChange={(event) => onChange(event.target.value.replace(/\n/g, ' '))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        className={`field-sizing-content max-h-28 min-h-12 w-full resize-none rounded-control border bg-base-200 px-3.5 py-3 font-bold font-display text-label focus:outline-2 focus:outline-offset-[-1px] ${isInvalid ? 'border-error outline-error' : 'border-edge outline-base-content'}`}
      />
      <p id={`${id}-error`} className="empty:hidden" aria-live="polite">
        {isInvalid && <FieldError>{QUESTION_REQUIRED_MESSAGE}</FieldError>}
      </p>
    </div>
  );
}

type DurationProps = { days: number; onChange(days: number): void };

export function DurationField({ days, onChange }: DurationProps) {
  return (
    <div className="grid gap-1.5">
      <span className="font-semibold text-body">Duration</span>
      <SegmentedControl
        label="Duration"
        value={String(days)}
        onChange={(value) => onChange(Number(value))}
        segments={DURATION_OPTIONS_DAYS.map((option) => ({
          value: String(option),
          label: countLabel(option, 'day'),
        }))}
        className="in-card [&>button]:px-1"
      />
    </div>
  );
}

type ResponsesProps = { value: number; max: number; onChange(value: number): void };

export function ResponsesField({ value, max, onChange }: ResponsesProps) {
  return (
    <div>
      <SliderField
        label="Responses wanted"
        min={RESPONSES_MIN}
        max={max}
        step={1}
        value={value}
        valueLabel={String(value)}
        valueClassName="text-title"
        onChange={onChange}
      />
      <p className="pt-2 text-muted text-small">
        One point for each response. The poll closes when it has them all, or when its time is up.
      </p>
    </div>
  );
}
