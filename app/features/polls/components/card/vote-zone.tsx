import { lazy } from 'react';
import { chosenOptionOf, type PollCardState, refusedVoteOf } from '#app/features/polls/lib/card-state.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { RefusalNotice } from './refusal.tsx';
import { Results } from './results.tsx';
import { VoteButtons } from './vote-buttons.tsx';

const ModerationNote = lazy(() => import('./moderation-note.tsx'));

type Props = {
  view: PollView;
  cardState: PollCardState;
  justVoted: boolean;
  onVote(option: Option, button: Element): void;
};

/** Vote buttons or results, in the same place and of the same height. */
export function VoteZone({ view, cardState, justVoted, onVote }: Props) {
  const refusedOp = refusedVoteOf(view, cardState);
  return (
    <div
      data-zone="buttons"
      tabIndex={-1}
      className="relative z-1 rounded-control pt-2 focus-visible:outline-offset-0 [&:not(:has(button))]:pointer-events-none"
    >
      {cardState.kind === 'open' || cardState.kind === 'changing' ? (
        <VoteButtons poll={view.poll} chosen={chosenOptionOf(cardState)} onVote={onVote} />
      ) : (
        <Results poll={view.poll} cardState={cardState} justVoted={justVoted} />
      )}
      <VoteAnnouncement poll={view.poll} cardState={cardState} justVoted={justVoted} />
      {refusedOp !== null && <RefusalNotice poll={view.poll} op={refusedOp} />}
      {(view.poll.hidden || view.poll.removedFor !== undefined) && (
        <LazyBoundary>
          <ModerationNote poll={view.poll} />
        </LazyBoundary>
      )}
    </div>
  );
}

type AnnouncementProps = { poll: Poll } & Pick<Props, 'cardState' | 'justVoted'>;

/** Says to screen readers what a tap in this card has led to. */
export function VoteAnnouncement({ poll, cardState, justVoted }: AnnouncementProps) {
  return (
    <p className="sr-only" aria-live="polite">
      {justVoted ? announcement(poll, cardState) : ''}
    </p>
  );
}

function announcement(poll: Poll, cardState: PollCardState): string {
  if (cardState.kind === 'results') {
    return `${captionOf(poll, 1)} ${cardState.percent[1]} percent, ${captionOf(poll, 2)} ${cardState.percent[2]} percent.`;
  }
  if (cardState.kind === 'sending') return `You chose ${captionOf(poll, cardState.vote)}.`;
  if (cardState.kind === 'waiting')
    return `Your vote for ${captionOf(poll, cardState.vote)} is waiting to be sent.`;
  return '';
}
