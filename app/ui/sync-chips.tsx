import { CircleAlert, Clock } from 'lucide-react';
import { Chip } from './chip.tsx';

/** Marks what a change shows that waits to be sent. */
export function WaitingChip() {
  return (
    <Chip icon={Clock} tone="outline">
      Waiting to sync
    </Chip>
  );
}

/** Marks what a change shows that is not sent until the user has decided about it. */
export function UnsentChip() {
  return (
    <Chip icon={CircleAlert} tone="error">
      Not sent
    </Chip>
  );
}
