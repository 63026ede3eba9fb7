import type { CSSProperties, ReactNode } from 'react';
import { chosenOptionOf, type PollCardState } from '#app/features/polls/lib/card-state.ts';
import { UnsentChip, WaitingChip } from '#app/ui/chip.tsx';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';

type PollWithCaptions = Pick<Poll, 'option1Caption' | 'option2Caption'>;
type Props = {
  poll: PollWithCaptions & Pick<Poll, 'votesCount' | 'status'>;
  cardState: PollCardState;
  justVoted: boolean;
};

/** Percentages, bar and captions, which replace the vote buttons. */
export function Results({ poll, cardState, justVoted }: Props) {
  const chosenOption = chosenOptionOf(cardState);
  // Beside a chip there is no room for the caption of the other option.
  const voteWithChip = cardState.kind === 'waiting' || cardState.kind === 'unsent' ? cardState.vote : null;
  return (
    <div className="grid min-h-14 grid-rows-[1.75rem_auto] gap-1 px-0.5">
      <BarRow poll={poll} cardState={cardState} justVoted={justVoted} />
      <div
        className={`px-0.5 ${voteWithChip === null ? 'grid grid-cols-[minmax(0,max-content)_minmax(0,max-content)] items-start justify-between gap-3' : 'flex flex-wrap items-center gap-x-3 gap-y-1 *:first:flex-1 *:first:basis-[6em]'}`}
      >
        {voteWithChip !== 2 && <Caption poll={poll} option={1} chosen={chosenOption === 1} letterFirst />}
        {voteWithChip !== 1 && (
          <Caption poll={poll} option={2} chosen={chosenOption === 2} letterFirst={voteWithChip === 2} />
        )}
        {cardState.kind === 'waiting' && <WaitingChip />}
        {cardState.kind === 'unsent' && <UnsentChip />}
      </div>
    </div>
  );
}

function BarRow({ poll, cardState, justVoted }: Props) {
  if (cardState.kind === 'waiting' || cardState.kind === 'unsent') {
    return <BarHalves stripedOption={cardState.vote} />;
  }
  if (cardState.kind === 'closed' || cardState.kind === 'unposted') {
    return (
      <div className="flex items-center gap-3">
        <BarHalves stripedOption={null} />
        {cardState.kind === 'closed' && poll.votesCount === 0 && (
          <span className="whitespace-nowrap text-muted text-small">
            {poll.status === 'active' ? 'No votes yet' : 'No votes'}
          </span>
        )}
      </div>
    );
  }
  const { percent, share } = cardState.kind === 'results' ? cardState : { percent: null, share: 0.5 };
  return (
    <div className="grid grid-cols-[auto_1fr_auto] items-center gap-2.5">
      <Percentage percent={percent} option={1} justVoted={justVoted} />
      <Bar share={share} isPale={percent === null} />
      <Percentage percent={percent} option={2} justVoted={justVoted} />
    </div>
  );
}

type BarProps = { share: number; isPale?: boolean; className?: string };

/** The bar of the results. `share` is the share of option A, from 0 to 1. */
export function Bar({ share, isPale = false, className = '' }: BarProps) {
  return (
    <div
      className={`bar ${className}`}
      data-tone={isPale ? 'pale' : undefined}
      data-whole={share === 0 || share === 1 ? '' : undefined}
      style={{ '--share': share } as CSSProperties}
    />
  );
}

function BarHalves({ stripedOption }: { stripedOption: Option | null }) {
  return (
    <div className="bar-halves w-full self-center">
      <span data-option={stripedOption === 1 ? 1 : undefined} />
      <span data-option={stripedOption === 2 ? 2 : undefined} />
    </div>
  );
}

type PercentageProps = { percent: Record<Option, number> | null; option: Option; justVoted: boolean };

/** A percentage. While it is unknown, an invisible placeholder takes its space, so that the bar does not move later. */
function Percentage({ percent, option, justVoted }: PercentageProps) {
  if (percent === null) {
    return (
      <span className="figures invisible font-extrabold text-figure" aria-hidden="true">
        50<small className="text-[1.125rem]">%</small>
      </span>
    );
  }
  const isBehind = percent[option] < percent[option === 1 ? 2 : 1];
  return (
    <span
      className={`figures font-extrabold text-figure ${isBehind ? 'text-muted' : ''} ${justVoted ? 'animate-rise' : ''}`}
    >
      {percent[option]}
      <small className="text-[1.125rem]">%</small>
    </span>
  );
}

type CaptionProps = { poll: PollWithCaptions; option: Option; chosen: boolean; letterFirst: boolean };

function Caption({ poll, option, chosen, letterFirst }: CaptionProps): ReactNode {
  return (
    <span className={`flex min-w-0 items-center gap-2 ${letterFirst ? '' : 'flex-row-reverse'}`}>
      <OptionLetter option={option} chosen={chosen} />
      <span
        dir="auto"
        className="line-clamp-1 in-data-[poll-detail]:line-clamp-none wrap-anywhere font-semibold text-small"
      >
        {captionOf(poll, option)}
      </span>
      {chosen && <span className="sr-only">(your vote)</span>}
    </span>
  );
}
