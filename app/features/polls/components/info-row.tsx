import type { ReactNode } from 'react';

/** A row of the card below a poll. Its parent is a `dl`. */
export function InfoRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center justify-between gap-4 border-base-300 border-t py-2">
      <dt className="wrap-anywhere min-w-0 text-body text-muted">{name}</dt>
      <dd className="shrink-0 font-bold text-body">{children}</dd>
    </div>
  );
}
