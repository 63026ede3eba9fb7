import { useId } from 'react';

type Props = { label: string; text: string; on: boolean; onChange(on: boolean): void };

/** A choice between on and off with its words; the whole row is its target. */
export function Switch({ label, text, on, onChange }: Props) {
  const id = useId();
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-text`}
      onClick={() => onChange(!on)}
      className="flex min-h-12 w-full cursor-pointer items-center gap-3 rounded-key text-left"
    >
      <span className="min-w-0 flex-1">
        <span id={`${id}-label`} className="block font-semibold text-body">
          {label}
        </span>
        <span id={`${id}-text`} className="block wrap-anywhere text-muted text-small">
          {text}
        </span>
      </span>
      <span
        aria-hidden="true"
        className={`flex h-7 w-12 shrink-0 items-center rounded-full border p-0.5 ${on ? 'justify-end border-neutral bg-neutral' : 'border-edge bg-base-300'}`}
      >
        <span className={`size-6 rounded-full ${on ? 'bg-base-100' : 'bg-muted'}`} />
      </span>
    </button>
  );
}
