import { useId } from 'react';
import type { BulkPhase } from '#app/features/admin/atoms.ts';
import { ProgressBar } from '#app/features/admin/components/progress-bar.tsx';
import { cancelBulk } from '#app/features/admin/lib/bulk-actions.ts';
import { SecondaryButton } from '#app/ui/button.tsx';

type Props = { phase: Extract<BulkPhase, { phase: 'compressing' | 'uploading' }> };

export function BulkProgress({ phase }: Props) {
  const id = useId();
  const isCompressing = phase.phase === 'compressing';
  const share = isCompressing ? phase.done / phase.total : phase.share;
  return (
    <div className="grid gap-2">
      <p className="flex justify-between gap-3 text-body">
        <span id={id} className="font-semibold">
          {isCompressing ? 'Shrinking large images' : 'Uploading'}
        </span>
        <span className="figures font-bold">
          {isCompressing ? `${phase.done} of ${phase.total}` : `${Math.round(share * 100)}%`}
        </span>
      </p>
      <ProgressBar labelledBy={id} share={share} />
      <div className="flex items-center justify-between gap-3">
        <p className="text-muted text-small">Keep this page open until the upload is done.</p>
        <SecondaryButton onClick={cancelBulk}>Cancel</SecondaryButton>
      </div>
    </div>
  );
}
