import { ArrowLeft, Share2 } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { PollImages } from '#app/features/polls/components/card/poll-images.tsx';
import { ChangeVoteLink, PollStanding } from '#app/features/polls/components/card/poll-meta.tsx';
import { VoteZone } from '#app/features/polls/components/card/vote-zone.tsx';
import { onCardKey, useVote } from '#app/features/polls/hooks/use-vote.ts';
import { captionOf, type PollCardState } from '#app/features/polls/lib/card-state.ts';
import { useGoBack } from '#app/lib/navigation/use-go-back.ts';
import { shareLink } from '#app/lib/share.ts';
import { dayLabel, timeLeft } from '#app/lib/time.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { IconButton } from '#app/ui/button.tsx';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import { ANONYMOUS_USERNAME } from '#shared/polls/constants.ts';
import { formatVoteCount } from '#shared/polls/rules.ts';
import type { PollView } from '#sync/operations/operation.ts';

type Props = { view: PollView; nowMs: number };

/** The screen of one poll. The arrow keys choose an option wherever the focus is. */
export function PollDetail({ view, nowMs }: Props) {
  const { poll } = view;
  const { cardState, justVoted, vote, card, ...change } = useVote(view);
  useArrowKeys(change.keepVote);
  return (
    <article ref={card.ref} data-poll-detail="" className="mx-auto w-full max-w-[35rem]">
      <div className="flex justify-between max-md:hidden">
        <IconButton icon={ArrowLeft} label="Back" className="-ml-2" onClick={useGoBack()} />
        <IconButton
          icon={Share2}
          label="Share"
          className="-mr-2"
          onClick={() => void shareLink({ title: poll.question, url: location.href })}
        />
      </div>
      <h1 className="wrap-anywhere px-1 pt-2 pb-3 text-title">{poll.question}</h1>
      <div className="pair-ground-page">
        <PollImages view={view} cardState={cardState} sizes="(min-width: 37rem) 280px, 50vw" priority />
        <VoteZone view={view} cardState={cardState} justVoted={justVoted} onVote={vote} />
        {change.change !== null && (
          <p className="pt-3 text-center text-muted text-small">
            <ChangeVoteLink poll={poll} {...change} />
          </p>
        )}
      </div>
      <InfoCard view={view} cardState={cardState} nowMs={nowMs} />
    </article>
  );
}

function useArrowKeys(keepVote: () => void) {
  const onEscape = useEffectEvent(keepVote);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const detail = document.querySelector<HTMLElement>('[data-poll-detail]');
      const target = event.target;
      const isInControl = target instanceof Element && target.closest('input, [role], [popover], dialog');
      if (detail === null || isInControl || event.defaultPrevented) return;
      const { key } = event;
      onCardKey({ key, currentTarget: detail, preventDefault: () => event.preventDefault() }, onEscape);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function InfoCard({ view, cardState, nowMs }: Props & { cardState: PollCardState }) {
  const { poll } = view;
  const name = poll.user?.username ?? ANONYMOUS_USERNAME;
  const isOpen = poll.status === 'active' && view.createOp === null;
  const tallies = cardState.kind === 'results' ? poll.results : null;
  return (
    <div className="mt-4 card px-4 py-1">
      <div className="flex items-center gap-3 py-3">
        <Avatar name={name} size="large" />
        <div className="min-w-0">
          <p className="truncate font-bold text-body">{name}</p>
          <p className="text-muted text-small">asked on {dayLabel(poll.createdAt)}</p>
        </div>
      </div>
      <dl>
        {tallies !== null && (
          <>
            <Row name={captionOf(poll, 1)}>{formatVoteCount(tallies.option1)}</Row>
            <Row name={captionOf(poll, 2)}>{formatVoteCount(tallies.option2)}</Row>
          </>
        )}
        {isOpen && (
          <>
            <Row name="Votes">
              {poll.votesCount} of {poll.responsesWanted}
            </Row>
            <Row name="Open for">{timeLeft(poll.closesAt, nowMs)}</Row>
          </>
        )}
        {cardState.kind === 'open' && <Row name="You get">+{VOTE_POINTS} point</Row>}
        {(!isOpen || poll.isMine) && (
          <Row name="Status">
            <PollStanding view={view} nowMs={nowMs} />
          </Row>
        )}
      </dl>
    </div>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center justify-between gap-4 border-base-300 border-t py-2">
      <dt className="wrap-anywhere min-w-0 text-body text-muted">{name}</dt>
      <dd className="shrink-0 font-bold text-body">{children}</dd>
    </div>
  );
}
