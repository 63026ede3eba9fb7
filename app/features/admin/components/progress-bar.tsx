import type { CSSProperties } from 'react';

type Props = {
  labelledBy: string;
  /** From 0 to 1; null while it is not known. */
  share: number | null;
};

export function ProgressBar({ labelledBy, share }: Props) {
  const known = share === null ? {} : { 'aria-valuenow': Math.round(share * 100) };
  return (
    <div
      role="progressbar"
      aria-labelledby={labelledBy}
      aria-valuemin={0}
      aria-valuemax={100}
      {...known}
      className="h-2.5 overflow-hidden rounded-full bg-base-300"
    >
      <div
        className="h-full w-full origin-left scale-x-(--share) bg-neutral transition-transform"
        style={{ '--share': share ?? 0 } as CSSProperties}
      />
    </div>
  );
}
