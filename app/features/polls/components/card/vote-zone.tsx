import { captionOf, choiceOf, type PollCardState, refusedOf } from '#app/features/polls/lib/card-state.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { Refusal } from './refusal.tsx';
import { Results } from './results.tsx';
import { VoteKeys } from './vote-keys.tsx';

type Props = {
  view: PollView;
  cardState: PollCardState;
  fresh: boolean;
  onVote(option: Option, from: Element): void;
};

/** Keys or results, in the same place and of the same height. */
export function VoteZone({ view, cardState, fresh, onVote }: Props) {
  const refused = refusedOf(view, cardState);
  return (
    <div
      data-zone="keys"
      tabIndex={-1}
      className="relative z-1 rounded-key pt-2 focus-visible:outline-offset-0 [&:not(:has(button))]:pointer-events-none"
    >
      {cardState.kind === 'open' || cardState.kind === 'changing' ? (
        <VoteKeys poll={view.poll} chosen={choiceOf(cardState)} onVote={onVote} />
      ) : (
        <Results poll={view.poll} cardState={cardState} fresh={fresh} />
      )}
      <p className="sr-only" aria-live="polite">
        {fresh ? spoken(view.poll, cardState) : ''}
      </p>
      {refused !== null && <Refusal poll={view.poll} op={refused} />}
    </div>
  );
}

function spoken(poll: Poll, cardState: PollCardState): string {
  if (cardState.kind === 'results') {
    return `${captionOf(poll, 1)} ${cardState.percent[1]} percent, ${captionOf(poll, 2)} ${cardState.percent[2]} percent.`;
  }
  if (cardState.kind === 'sending') return `You chose ${captionOf(poll, cardState.vote)}.`;
  if (cardState.kind === 'waiting')
    return `Your vote for ${captionOf(poll, cardState.vote)} waits to be sent.`;
  return '';
}
