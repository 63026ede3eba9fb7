import { useId } from 'react';

type Props = {
  label: string;
  description: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange(isOn: boolean): void;
};

/** A setting that is on or off. The whole row can be tapped. */
export function Switch({ label, description, isOn, isDisabled = false, onChange }: Props) {
  const id = useId();
  return (
    <label className="flex min-h-12 cursor-pointer items-center gap-3">
      <span className="min-w-0 flex-1">
        <span className="block font-semibold text-body">{label}</span>
        <span id={id} className="block wrap-anywhere text-muted text-small">
          {description}
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        aria-describedby={id}
        checked={isOn}
        // A disabled switch would lose the focus while a change is sent.
        aria-disabled={isDisabled}
        onChange={(event) => isDisabled || onChange(event.target.checked)}
        // The thumb is a border because forced colours remove backgrounds.
        className="h-7 w-12 shrink-0 cursor-pointer appearance-none aria-disabled:cursor-default aria-disabled:opacity-60 rounded-full border border-edge bg-base-300 p-px before:block before:size-6 before:rounded-full before:border-12 before:border-muted checked:border-neutral checked:bg-neutral checked:before:ml-5 checked:before:border-base-100"
      />
    </label>
  );
}
