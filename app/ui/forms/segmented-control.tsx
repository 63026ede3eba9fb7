import type { KeyboardEvent, ReactNode } from 'react';

type Props<Value extends string> = {
  label: string;
  value: Value;
  /** The content of each segment by its value, in the order shown. */
  segments: Readonly<Record<Value, ReactNode>>;
  onChange(value: Value): void;
  /** The id of the tab panel; without it the control is a radio group. */
  panelId?: string;
  className?: string;
};

const ARROW_STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** A row of tabs or radio buttons. The arrow keys change the selection. */
export function SegmentedControl<Value extends string>(props: Props<Value>) {
  const { label, value, segments, onChange, panelId, className = '' } = props;
  const isTabs = panelId !== undefined;
  const values = Object.keys(segments) as Value[];

  function moveSelection(event: KeyboardEvent<HTMLDivElement>) {
    const step = ARROW_STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = (values.indexOf(value) + step + values.length) % values.length;
    const nextValue = values[index];
    if (nextValue === undefined) return;
    onChange(nextValue);
    event.currentTarget.querySelectorAll('button').item(index).focus();
  }

  // Spread, because the linter checks the attributes of an element against its role, and understands no computed role.
  const rowProps = {
    role: isTabs ? 'tablist' : 'radiogroup',
    'aria-label': label,
    onKeyDown: moveSelection,
    className: `flex flex-wrap rounded-control bg-segment p-0.5 ${className}`,
  };
  return (
    <div {...rowProps}>
      {values.map((segmentValue) => {
        const isSelected = segmentValue === value;
        return (
          <button
            key={segmentValue}
            type="button"
            role={isTabs ? 'tab' : 'radio'}
            tabIndex={isSelected ? 0 : -1}
            {...(isTabs
              ? { 'aria-selected': isSelected, 'aria-controls': panelId }
              : { 'aria-checked': isSelected })}
            onClick={() => onChange(segmentValue)}
            className={`flex min-h-11 flex-1 cursor-pointer items-center justify-center gap-2 whitespace-nowrap rounded-[13px] px-3 max-xs:px-1.5 font-semibold text-body md:px-5 ${isSelected ? 'bg-segment-selected shadow-raised forced-colors:border-2' : 'text-muted'}`}
          >
            {segments[segmentValue]}
          </button>
        );
      })}
    </div>
  );
}
