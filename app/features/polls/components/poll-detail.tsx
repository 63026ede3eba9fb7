import { useAtom } from 'jotai';
import { ArrowLeft, Share2 } from 'lucide-react';
import { lazy, useEffect } from 'react';
import { PollImages } from '#app/features/polls/components/card/poll-images.tsx';
import {
  ChangeVoteLink,
  PollStatusLabel,
  SampleMark,
} from '#app/features/polls/components/card/poll-meta.tsx';
import { VoteZone } from '#app/features/polls/components/card/vote-zone.tsx';
import { InfoRow } from '#app/features/polls/components/info-row.tsx';
import { MenuButton } from '#app/features/polls/components/menu/menu-button.tsx';
import { onCardKey, useVote } from '#app/features/polls/hooks/use-vote.ts';
import { type PollCardState, shownVotesOf } from '#app/features/polls/lib/card-state.ts';
import { useDocumentKeys } from '#app/lib/browser/use-document-keys.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useGoBack } from '#app/lib/navigation/use-go-back.ts';
import { isShareDialogOpenAtom } from '#app/lib/sharing/share-dialog.ts';
import { dateLabel, timeLeftLabel } from '#app/lib/time.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { IconButton } from '#app/ui/button.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import { ANONYMOUS_USERNAME } from '#shared/polls/constants.ts';
import { captionOf } from '#shared/polls/rules.ts';
import type { PollView } from '#sync/operations/operation.ts';

const OwnPoll = lazy(() => import('#app/features/polls/components/maker/own-poll.tsx'));
const ShareDialog = lazy(() => import('#app/features/polls/components/share/share-dialog.tsx'));

type Props = { view: PollView; nowMs: number };

/** The screen of one poll. The keys of its card work wherever the focus is, except in controls that handle keys themselves. */
export function PollDetail({ view, nowMs, focusKey }: Props & { focusKey?: string }) {
  const { poll } = view;
  const canShare = view.createOp === null && poll.removedFor === undefined;
  const { cardState, justVoted, vote, card, ...changeProps } = useVote(view);
  useCardKeys(changeProps.keepVote);
  const [isSharing, setSharing] = useAtom(isShareDialogOpenAtom);
  useEffect(() => () => setSharing(false), [setSharing]);
  return (
    <article
      ref={card.ref}
      data-poll-detail=""
      // Hides the Share button of the header on a phone (`layouts/header.tsx`).
      data-poll-unshared={canShare ? undefined : ''}
      className="mx-auto w-full max-w-[35rem]"
    >
      <div className="flex justify-between max-md:hidden">
        <IconButton icon={ArrowLeft} label="Back" className="-ml-2" onClick={useGoBack()} />
        {canShare && (
          <IconButton icon={Share2} label="Share" className="-mr-2" onClick={() => setSharing(true)} />
        )}
      </div>
      <div className="flex items-start gap-2">
        <h1 className="wrap-anywhere min-w-0 flex-1 px-1 pt-2 pb-3 text-title">{poll.question}</h1>
        <MenuButton view={view} focusKey={focusKey} className="-mr-2 mt-1" />
      </div>
      <div className="pair-ground-page">
        <PollImages view={view} cardState={cardState} sizes="(min-width: 37rem) 280px, 50vw" priority />
        <VoteZone view={view} cardState={cardState} justVoted={justVoted} onVote={vote} />
        {view.createOp !== null && (
          <p className="pt-3 text-center text-muted text-small">The link comes once the poll is posted.</p>
        )}
        {changeProps.change !== null && (
          <p className="pt-3 text-center text-muted text-small">
            <ChangeVoteLink poll={poll} {...changeProps} offersTakeBack />
          </p>
        )}
      </div>
      {poll.isMine && canShare && (
        <LazyBoundary fallback={<OwnPollSkeleton isOpen={poll.status === 'active'} />}>
          <OwnPoll poll={poll} nowMs={nowMs} />
        </LazyBoundary>
      )}
      <InfoCard view={view} cardState={cardState} nowMs={nowMs} />
      {isSharing && canShare && (
        <LazyDialog onClose={() => setSharing(false)}>
          <ShareDialog poll={poll} onClose={() => setSharing(false)} />
        </LazyDialog>
      )}
    </article>
  );
}

/** A placeholder of about the height of `OwnPoll`, shown while that loads. */
function OwnPollSkeleton({ isOpen }: { isOpen: boolean }) {
  return (
    <>
      <div className="mt-4 h-52 card" />
      <div className={`mt-4 card ${isOpen ? 'h-[260px]' : 'h-[198px]'}`} />
    </>
  );
}

function useCardKeys(keepVote: () => void) {
  useDocumentKeys((event) => {
    const { target } = event;
    const detail = document.querySelector('[data-poll-detail]');
    const isInControl = target instanceof Element && target.closest('input, [role]');
    if (detail === null || isInControl || event.defaultPrevented) return;
    onCardKey(event, detail, keepVote);
  });
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
        <div className="min-w-0 flex-1">
          <p className="truncate font-bold text-body">{name}</p>
          <p className="text-muted text-small">asked on {dateLabel(poll.createdAt)}</p>
        </div>
        <SampleMark poll={poll} />
      </div>
      <dl>
        {tallies !== null && (
          <>
            <InfoRow name={captionOf(poll, 1)}>{countLabel(tallies.option1, 'vote')}</InfoRow>
            <InfoRow name={captionOf(poll, 2)}>{countLabel(tallies.option2, 'vote')}</InfoRow>
          </>
        )}
        {isOpen && (
          <>
            <InfoRow name="Votes">
              {shownVotesOf(poll)} of {poll.responsesWanted}
            </InfoRow>
            <InfoRow name="Open for">{timeLeftLabel(poll.closesAt, nowMs)}</InfoRow>
          </>
        )}
        {cardState.kind === 'open' && <InfoRow name="You get">+{VOTE_POINTS} point</InfoRow>}
        {(!isOpen || poll.isMine) && (
          <InfoRow name="Status">
            <PollStatusLabel view={view} nowMs={nowMs} />
          </InfoRow>
        )}
      </dl>
    </div>
  );
}
