import { Check } from 'lucide-react';
import type { Option } from '#shared/polls/schema.ts';

export const LETTERS: Record<Option, string> = { 1: 'A', 2: 'B' };

/** The letter of an option in its colour; a tick once it is the viewer's own choice. */
export function Letter({ option, chosen = false }: { option: Option; chosen?: boolean }) {
  return (
    <span className="letter" data-option={option} aria-hidden="true">
      {chosen ? <Check size={16} strokeWidth={3} /> : LETTERS[option]}
    </span>
  );
}
