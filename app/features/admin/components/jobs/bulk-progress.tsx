import { useId } from 'react';
import type { BulkPhase } from '#app/features/admin/atoms.ts';
import { ProgressBar } from '#app/features/admin/components/progress-bar.tsx';
import { cancelBulk } from '#app/features/admin/lib/bulk-actions.ts';
import { QuietButton } from '#app/ui/button.tsx';

type Props = { phase: Extract<BulkPhase, { phase: 'shrinking' | 'uploading' }> };

/** How far pictures are on their way to the server. */
export function BulkProgress({ phase }: Props) {
  const id = useId();
  const isShrinking = phase.phase === 'shrinking';
  const share = isShrinking ? phase.done / phase.total : phase.share;
  return (
    <div className="grid gap-2">
      <p className="flex justify-between gap-3 text-body">
        <span id={id} className="font-semibold">
          {isShrinking ? 'Making large photos smaller' : 'Uploading'}
        </span>
        <span className="figures font-bold">
          {isShrinking ? `${phase.done} of ${phase.total}` : `${Math.round(share * 100)}%`}
        </span>
      </p>
      <ProgressBar labelledBy={id} share={share} />
      <div className="flex items-center justify-between gap-3">
        <p className="text-muted text-small">Keep this page open until it is uploaded.</p>
        <QuietButton onClick={cancelBulk}>Cancel</QuietButton>
      </div>
    </div>
  );
}
