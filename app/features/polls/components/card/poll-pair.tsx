import { Check } from 'lucide-react';
import { captionOf } from '#app/features/polls/lib/card-state.ts';
import { OrBadge } from '#app/ui/or-badge.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import { PollPicture } from './poll-image.tsx';

type Props = {
  poll: Poll;
  choice: Option | null;
  local: Partial<Record<Option, string>>;
  sizes: string;
  priority?: boolean;
};

/** The two pictures with the "or" between them; the chosen one is lifted, the other steps back. */
export function PollPair({ poll, choice, local, sizes, priority = false }: Props) {
  return (
    <div className="pair">
      {([1, 2] as const).map((option) => (
        <div
          key={option}
          className="pair-half"
          data-option={option}
          data-chosen={choice === null ? undefined : choice === option ? 'yes' : 'no'}
        >
          <PollPicture
            poll={poll}
            option={option}
            alt={captionOf(poll, option)}
            local={local[option]}
            sizes={sizes}
            priority={priority}
          />
          <span className="pair-tick" aria-hidden="true">
            <Check size={20} strokeWidth={2.6} />
          </span>
        </div>
      ))}
      <OrBadge />
    </div>
  );
}
