import { useId } from 'react';
import { PollImages } from '#app/features/polls/components/card/poll-images.tsx';
import { ChangeVoteLink, PollLink } from '#app/features/polls/components/card/poll-meta.tsx';
import { VoteZone } from '#app/features/polls/components/card/vote-zone.tsx';
import { useVote } from '#app/features/polls/hooks/use-vote.ts';
import { shownVotesOf } from '#app/features/polls/lib/card-state.ts';
import { useIsDesktop } from '#app/lib/browser/media.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { timeLeftLabel } from '#app/lib/time.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { CompactCard } from './compact-card.tsx';

type Props = { view: PollView; nowMs: number };
type TrendingProps = Props & {
  /** Whether it is the only trending poll, which is twice as wide on a phone. */
  isOnly: boolean;
};

/** A trending poll: wide with vote buttons on a desktop, compact with images to tap on a phone. */
export function TrendingCard({ isOnly, ...props }: TrendingProps) {
  if (useIsDesktop()) return <WideCard {...props} />;
  return (
    <CompactCard
      {...props}
      sizes={isOnly ? '50vw' : '25vw'}
      priority
      className={isOnly ? 'col-span-2' : ''}
    />
  );
}

function WideCard({ view, nowMs }: Props) {
  const titleId = useId();
  const { cardState, justVoted, vote, card, ...changeProps } = useVote(view);
  const timeLeft = view.poll.status === 'active' ? timeLeftLabel(view.poll.closesAt, nowMs) : 'Closed';
  return (
    <article
      {...card}
      aria-labelledby={titleId}
      className="relative grid grid-cols-[minmax(0,16rem)_minmax(0,1fr)] gap-3.5 card p-2"
    >
      <div className="pair-wide self-start">
        <PollImages view={view} cardState={cardState} sizes="125px" priority />
      </div>
      <div className="flex min-w-0 flex-col pt-1 pr-1.5">
        <h3 id={titleId} className="text-[1.125rem] text-balance leading-[1.375rem]">
          <PollLink poll={view.poll} />
        </h3>
        <p className="mt-0.5 text-body text-muted">
          {changeProps.change?.kind === 'open' ? timeLeft : countLabel(shownVotesOf(view.poll), 'vote')} ·{' '}
          {changeProps.change === null ? timeLeft : <ChangeVoteLink poll={view.poll} {...changeProps} />}
        </p>
        <div className="zone-small mt-auto">
          <VoteZone view={view} cardState={cardState} justVoted={justVoted} onVote={vote} />
        </div>
      </div>
    </article>
  );
}
