import { Check } from 'lucide-react';
import { useId } from 'react';
import { PollImage } from '#app/features/polls/components/card/poll-image.tsx';
import { PollImages } from '#app/features/polls/components/card/poll-images.tsx';
import { ChangeVoteLink, PollLink } from '#app/features/polls/components/card/poll-meta.tsx';
import { RefusalNotice } from '#app/features/polls/components/card/refusal.tsx';
import { Bar } from '#app/features/polls/components/card/results.tsx';
import { VoteZone } from '#app/features/polls/components/card/vote-zone.tsx';
import { useVote } from '#app/features/polls/hooks/use-vote.ts';
import { choiceOf, type PollCardState, refusedVoteOf } from '#app/features/polls/lib/card-state.ts';
import { useIsDesktop } from '#app/lib/media.ts';
import { timeLeft } from '#app/lib/time.ts';
import { OPTION_LETTERS, OrBadge } from '#app/ui/option-letter.tsx';
import { captionOf, formatVoteCount } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';

type Props = { view: PollView; nowMs: number };

/** A trending poll: wide with vote buttons on a desktop, compact with images to tap on a phone. */
export function TrendingCard(props: Props) {
  return useIsDesktop() ? <WideCard {...props} /> : <CompactCard {...props} />;
}

function Question({ view, id }: { view: PollView; id: string }) {
  return (
    <h3
      id={id}
      className="text-[0.9375rem] leading-[1.0625rem] text-wrap md:text-[1.125rem] md:text-balance md:leading-[1.375rem]"
    >
      <PollLink poll={view.poll} />
    </h3>
  );
}

function WideCard({ view, nowMs }: Props) {
  const titleId = useId();
  const { cardState, justVoted, vote, card, ...change } = useVote(view);
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
        <Question view={view} id={titleId} />
        <p className="mt-0.5 text-body text-muted">
          {change.change?.kind === 'open'
            ? timeLeft(view.poll.closesAt, nowMs)
            : formatVoteCount(view.poll.votesCount)}{' '}
          ·{' '}
          {change.change === null ? (
            timeLeft(view.poll.closesAt, nowMs)
          ) : (
            <ChangeVoteLink poll={view.poll} {...change} />
          )}
        </p>
        <div className="zone-small mt-auto">
          <VoteZone view={view} cardState={cardState} justVoted={justVoted} onVote={vote} />
        </div>
      </div>
    </article>
  );
}

function CompactCard({ view, nowMs }: Props) {
  const titleId = useId();
  const { cardState, vote, card } = useVote(view);
  const refused = refusedVoteOf(view, cardState);
  const voteStatus = voteStatusOf(cardState);
  const { poll } = view;
  return (
    <article
      {...card}
      aria-labelledby={titleId}
      className="relative flex min-w-0 flex-col card only:col-span-2 p-1.5 pb-2"
    >
      <div
        data-zone=""
        data-figures={cardState.kind === 'results' ? '' : undefined}
        tabIndex={-1}
        className={`pair pair-small z-1 ${cardState.kind === 'open' ? '' : 'pointer-events-none'}`}
      >
        {([1, 2] as const).map((option) => (
          <CompactHalf key={option} view={view} option={option} cardState={cardState} onVote={vote} />
        ))}
        <OrBadge />
      </div>
      <div className="grid min-h-[2.625rem] content-start px-1.5 pt-2">
        <Question view={view} id={titleId} />
      </div>
      <div className="mt-auto grid h-[1.125rem] items-center px-1.5 text-muted text-small">
        {cardState.kind === 'results' ? (
          <Bar share={cardState.share} className="h-1.5" />
        ) : (
          <span className="truncate">
            {voteStatus ?? formatVoteCount(poll.votesCount)}
            <span className="max-xs:hidden">
              {voteStatus === null ? ` · ${timeLeft(poll.closesAt, nowMs)}` : ''}
            </span>
          </span>
        )}
      </div>
      {refused !== null && <RefusalNotice poll={poll} op={refused} />}
    </article>
  );
}

/** The state of a vote without results; null otherwise. */
function voteStatusOf(cardState: PollCardState): string | null {
  if (cardState.kind === 'unsent') return 'Not sent';
  return cardState.kind === 'waiting' ? 'Waiting to sync' : null;
}

type HalfProps = {
  view: PollView;
  option: Option;
  cardState: PollCardState;
  onVote(option: Option, from: Element): void;
};

/** An image, which is a vote button while the poll is open. */
function CompactHalf({ view: { poll }, option, cardState, onVote }: HalfProps) {
  const choice = choiceOf(cardState);
  const caption = captionOf(poll, option);
  const percent = cardState.kind === 'results' ? ` ${cardState.percent[option]}%` : '';
  const content = (
    <>
      <PollImage poll={poll} option={option} alt={caption} localUrl={undefined} sizes="25vw" priority />
      <span className="letter letter-corner" data-option={option}>
        {choice === option ? (
          <Check size={14} strokeWidth={3.2} aria-hidden="true" />
        ) : (
          OPTION_LETTERS[option]
        )}
        {percent !== '' && <span className="figures">{percent}</span>}
      </span>
    </>
  );
  const attributes = {
    className: 'pair-half z-1 cursor-pointer',
    'data-option': option,
    'data-chosen': choice === null ? undefined : choice === option ? 'yes' : 'no',
  };
  if (cardState.kind !== 'open') return <div {...attributes}>{content}</div>;
  return (
    <button
      type="button"
      aria-label={`Vote for ${caption}`}
      onClick={(event) => onVote(option, event.currentTarget)}
      {...attributes}
    >
      {content}
    </button>
  );
}
