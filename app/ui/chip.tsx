import { CircleAlert, Clock, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

const TONES = {
  quiet: 'bg-base-300 text-base-content',
  outline: 'border border-edge text-base-content',
  strong: 'bg-neutral text-neutral-content',
  error: 'bg-error text-error-content',
} as const;

type Props = { icon?: LucideIcon; tone?: keyof typeof TONES; children: ReactNode };

export function Chip({ icon, tone = 'quiet', children }: Props) {
  return (
    <span
      className={`inline-flex min-h-6 items-center gap-1.5 whitespace-nowrap rounded-chip px-2 font-semibold text-small ${TONES[tone]}`}
    >
      {icon !== undefined && <Icon icon={icon} size={16} />}
      {children}
    </span>
  );
}

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
