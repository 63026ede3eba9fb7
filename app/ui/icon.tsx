import type { LucideIcon } from 'lucide-react';

type Props = { of: LucideIcon; size?: 16 | 20 | 24 | 40; className?: string };

/** A line icon in the product's weight; always beside words, so never read out. */
export function Icon({ of: Shape, size = 20, className = '' }: Props) {
  return <Shape size={size} strokeWidth={2.1} aria-hidden="true" className={`shrink-0 ${className}`} />;
}
