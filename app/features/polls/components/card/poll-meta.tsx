import { Ban, Clock, EyeOff, Flag, Trash2 } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useIsWaiting } from '#app/features/polls/hooks/use-is-waiting.ts';
import type { useVote } from '#app/features/polls/hooks/use-vote.ts';
import { closedLabelOf, shownVotesOf } from '#app/features/polls/lib/card-state.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useIsAdmin } from '#app/lib/engine/session.ts';
import { timeLeftLabel } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { Chip, UnsentChip, WaitingChip } from '#app/ui/chip.tsx';
import { ANONYMOUS_USERNAME } from '#shared/polls/constants.ts';
import { captionOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';

type Props = { view: PollView; nowMs: number };
type ChangeProps = Pick<ReturnType<typeof useVote>, 'change' | 'startChange' | 'keepVote'>;

export function PollMeta({ view, nowMs, ...changeProps }: Props & ChangeProps) {
  const { user, closesAt } = view.poll;
  const name = user?.username ?? ANONYMOUS_USERNAME;
  const isChanging = changeProps.change?.kind === 'open';
  return (
    <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 px-1.5 pt-1.5">
      <span className="flex min-w-0 flex-1 basis-[6em] items-center gap-2">
        <Avatar name={name} />
        <span className="truncate font-semibold text-small">{name}</span>
        <SampleMark poll={view.poll} />
      </span>
      <span className="flex max-w-full shrink-0 flex-wrap items-center gap-x-2 text-muted text-small">
        {view.createOp === null && (
          <>
            {/* Beside the link to change or keep the vote there is no room for both the votes and the time left. */}
            <span>
              {isChanging ? timeLeftLabel(closesAt, nowMs) : countLabel(shownVotesOf(view.poll), 'vote')}
            </span>
            <span aria-hidden="true">·</span>
          </>
        )}
        {changeProps.change === null ? (
          <PollStatusLabel view={view} nowMs={nowMs} />
        ) : (
          <ChangeVoteLink poll={view.poll} {...changeProps} />
        )}
      </span>
    </div>
  );
}

/** Marks a sample poll for administrators and its maker; renders nothing for others. */
export function SampleMark({ poll: { isSample, isMine } }: { poll: Poll }) {
  const isAdmin = useIsAdmin();
  return isSample && (isMine || isAdmin) ? <Chip>Sample</Chip> : null;
}

/** The question as a link to its poll that covers the whole card. */
export function PollLink({ poll: { id, question } }: { poll: Poll }) {
  return (
    <Link
      to={paths.poll.href(id)}
      dir="auto"
      className="line-clamp-2 wrap-anywhere outline-none after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-3"
    >
      {question}
    </Link>
  );
}

type ChangeVoteLinkProps = ChangeProps & {
  poll: Poll;
  /** Whether to offer to take back a waiting change; a card in a list has no room for it. */
  offersTakeBack?: boolean;
};

/** "Change vote" or "Keep my vote". For a waiting change, the vote that it replaces, and perhaps "Change vote" to take it back. */
export function ChangeVoteLink({
  poll,
  change,
  startChange,
  keepVote,
  offersTakeBack = false,
}: ChangeVoteLinkProps) {
  if (change === null) return null;
  const isChanging = change.kind === 'open';
  return (
    <>
      {change.kind === 'waiting' && <span>was {captionOf(poll, change.previousVote)}</span>}{' '}
      {(change.kind !== 'waiting' || (offersTakeBack && change.isOffered)) && (
        <button
          type="button"
          className="relative z-1 cursor-pointer font-semibold text-base-content underline underline-offset-3 after:absolute after:-inset-x-2 after:-inset-y-3.5"
          onClick={isChanging ? keepVote : startChange}
        >
          {isChanging ? 'Keep my vote' : 'Change vote'}
        </button>
      )}
    </>
  );
}

const CLOSED_ICONS = { completed: Flag, expired: Clock, inactive: Ban } as const;

/** A chip for a poll that is closed, hidden, removed, not sent yet or the user's own; otherwise the time left. */
export function PollStatusLabel({ view: { poll, createOp }, nowMs }: Props) {
  const isWaiting = useIsWaiting(createOp);
  if (createOp?.state === 'needs_attention') return <UnsentChip />;
  if (isWaiting) return <WaitingChip />;
  if (poll.removedFor !== undefined) return <Chip icon={Trash2}>Removed</Chip>;
  if (poll.hidden) return <Chip icon={EyeOff}>Hidden</Chip>;
  if (poll.status !== 'active') {
    return <Chip icon={CLOSED_ICONS[poll.status]}>{closedLabelOf(poll.status, poll.closedEarly)}</Chip>;
  }
  if (poll.isMine) return <Chip>Your poll</Chip>;
  return <span>{timeLeftLabel(poll.closesAt, nowMs)}</span>;
}
