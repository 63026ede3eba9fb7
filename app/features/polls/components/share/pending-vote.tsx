import { Link } from 'react-router-dom';
import { ImagePair } from '#app/features/polls/components/card/image-pair.tsx';
import { withoutImageSizes } from '#app/features/polls/lib/shared-poll.ts';
import { type PendingVote, slugOf } from '#app/lib/sharing/pending-vote.ts';
import { paths } from '#app/paths.ts';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';

type Props = { vote: PendingVote };

/** The shared poll with the chosen option, shown above the login and sign-up forms. */
export function PendingVoteCard({ vote: { poll, option } }: Props) {
  return (
    <div data-theme="dark" className="relative bg-transparent">
      <div className="rounded-card bg-base-100 p-2 text-base-content shadow-floating">
        <p dir="auto" className="truncate px-2 pt-1.5 pb-3 font-bold font-display text-question">
          {poll.question}
        </p>
        <ImagePair poll={withoutImageSizes(poll)} chosen={option} sizes="190px" priority />
      </div>
    </div>
  );
}

/** The chosen option, and a note that the vote does not count yet. */
export function PendingVoteNote({ vote: { poll, option }, isSignup }: Props & { isSignup: boolean }) {
  return (
    <div className="mb-4 flex items-center gap-3 rounded-control bg-base-300 px-3.5 py-3" role="note">
      <OptionLetter option={option} chosen />
      <p className="min-w-0 flex-1 text-small">
        <span dir="auto" className="wrap-anywhere block font-bold text-body">
          {captionOf(poll, option)}
        </span>
        <span className="text-muted">
          Your vote will count as soon as you have {isSignup ? 'signed up' : 'logged in'}.
        </span>
      </p>
      <Link
        to={paths.share.href(slugOf(poll.shareUrl))}
        className="-my-3 grid min-h-11 place-items-center font-semibold text-small underline underline-offset-3"
      >
        Change
      </Link>
    </div>
  );
}
