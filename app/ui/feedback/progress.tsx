import { type CSSProperties, type ReactNode, useId } from 'react';

type Props = {
  name: string;
  /** The progress as text, such as "3 of 10". */
  label: string;
  /** The progress from 0 to 1; null while it is not known. */
  share: number | null;
  note: string;
  /** A button that stops the work, if that is possible. */
  children?: ReactNode;
};

export function Progress({ name, label, share, note, children }: Props) {
  const id = useId();
  return (
    <div className="grid gap-2">
      <p className="flex justify-between gap-3 text-body">
        <span id={id} className="font-semibold">
          {name}
        </span>
        <span className="figures font-bold">{label}</span>
      </p>
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
        className="h-2.5 overflow-hidden rounded-full bg-base-300"
      >
        <div
          className="h-full w-full origin-left scale-x-(--share) bg-neutral transition-transform"
          style={{ '--share': share ?? 0 } as CSSProperties}
        />
      </div>
      <div className="flex items-center justify-between gap-3">
        <p className="text-muted text-small">{note}</p>
        {children}
      </div>
    </div>
  );
}
