import { Check } from 'lucide-react';
import { useLocalImages } from '#app/features/polls/hooks/use-local-images.ts';
import { choiceOf, type PollCardState } from '#app/features/polls/lib/card-state.ts';
import { OrBadge } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { PollImage } from './poll-image.tsx';

type Props = {
  view: PollView;
  cardState: PollCardState;
  sizes: string;
  priority?: boolean;
};

/** The two images with the "or" badge between them. After a vote the chosen one is lifted and the other faded. */
export function PollImages({ view: { poll, createOp }, cardState, sizes, priority = false }: Props) {
  const localUrls = useLocalImages(createOp?.opId ?? null);
  const choice = choiceOf(cardState);
  // While the vote is being changed neither is faded.
  const otherChosen = cardState.kind === 'changing' ? undefined : 'no';
  return (
    <div className="pair">
      {([1, 2] as const).map((option) => (
        <div
          key={option}
          className="pair-half"
          data-option={option}
          data-chosen={choice === null ? undefined : choice === option ? 'yes' : otherChosen}
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
