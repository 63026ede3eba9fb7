import { Ban, Check, Clock, Flag } from 'lucide-react';
import { Chip } from '#app/ui/chip.tsx';
import type { PollStatus } from '#shared/polls/schema.ts';

const STATUSES = {
  active: { icon: Check, tone: 'quiet', label: 'Active' },
  inactive: { icon: Ban, tone: 'error', label: 'Inactive' },
  expired: { icon: Clock, tone: 'outline', label: 'Expired' },
  completed: { icon: Flag, tone: 'strong', label: 'Completed' },
} as const satisfies Record<PollStatus, unknown>;

export function PollChip({ status }: { status: PollStatus }) {
  const { icon, tone, label } = STATUSES[status];
  return (
    <Chip icon={icon} tone={tone}>
      {label}
    </Chip>
  );
}
