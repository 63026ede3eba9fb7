import { Check } from 'lucide-react';
import { captionOf, choiceOf, type PollCardState } from '#app/features/polls/lib/card-state.ts';
import { OrBadge } from '#app/ui/option-letter.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import { PollImage } from './poll-image.tsx';

type Props = {
  poll: Poll;
  cardState: PollCardState;
  localUrls: Partial<Record<Option, string>>;
  sizes: string;
  priority?: boolean;
};

/** The two images with the "or" badge between them. After a vote the chosen one is lifted and the other faded. */
export function PollImages({ poll, cardState, localUrls, sizes, priority = false }: Props) {
  const choice = choiceOf(cardState);
  // While the vote is being changed neither is faded.
  const notChosen = cardState.kind === 'changing' ? undefined : 'no';
  return (
    <div className="pair">
      {([1, 2] as const).map((option) => (
        <div
          key={option}
          className="pair-half"
          data-option={option}
          data-chosen={choice === null ? undefined : choice === option ? 'yes' : notChosen}
        >
          <PollImage
            poll={poll}
            option={option}
            alt={captionOf(poll, option)}
            localUrl={localUrls[option]}
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
