import { Check } from 'lucide-react';
import type { Option } from '#shared/polls/schema.ts';

export const OPTION_LETTERS: Record<Option, string> = { 1: 'A', 2: 'B' };

/** The letter of an option in its colour; a tick once the user has chosen the option. */
export function OptionLetter({ option, chosen = false }: { option: Option; chosen?: boolean }) {
  return (
    <span className="letter" data-option={option} aria-hidden="true">
      {chosen ? <Check size={16} strokeWidth={3} /> : OPTION_LETTERS[option]}
    </span>
  );
}

/** The "or" between two images. `pale`: in a skeleton, fainter and without the word. */
export function OrBadge({ pale = false }: { pale?: boolean }) {
  return (
    <span className={`pair-or ${pale ? 'opacity-45' : ''}`} aria-hidden="true">
      {pale ? null : 'or'}
    </span>
  );
}
