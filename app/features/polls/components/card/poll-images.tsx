import { useLocalImageUrls } from '#app/features/polls/hooks/use-local-image-urls.ts';
import { chosenOptionOf, type PollCardState } from '#app/features/polls/lib/card-state.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { ImagePair } from './image-pair.tsx';

type Props = {
  view: PollView;
  cardState: PollCardState;
  sizes: string;
  priority?: boolean;
};

/** The images of a poll. The chosen image is lifted; the other image is faded unless the vote is being changed. */
export function PollImages({ view: { poll, createOp }, cardState, sizes, priority = false }: Props) {
  return (
    <ImagePair
      poll={poll}
      chosen={chosenOptionOf(cardState)}
      fadesOther={cardState.kind !== 'changing'}
      localUrls={useLocalImageUrls(createOp?.opId ?? null)}
      sizes={sizes}
      priority={priority}
    />
  );
}
