import { Flag } from 'lucide-react';
import { ImagePair } from '#app/features/polls/components/card/image-pair.tsx';
import { Results } from '#app/features/polls/components/card/results.tsx';
import { VoteButtons } from '#app/features/polls/components/card/vote-buttons.tsx';
import { InfoRow } from '#app/features/polls/components/info-row.tsx';
import { closedLabelOf, resultsStateOf, shownVotesOf } from '#app/features/polls/lib/card-state.ts';
import { withoutImageSizes } from '#app/features/polls/lib/shared-poll.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { dateLabel, timeLeftLabel } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { PrimaryLink } from '#app/ui/button.tsx';
import { Chip } from '#app/ui/chip.tsx';
import { useIsPrerendered } from '#app/ui/lazy-boundary.tsx';
import { ANONYMOUS_USERNAME } from '#shared/polls/constants.ts';
import { captionOf, hasNoVotes } from '#shared/polls/rules.ts';
import type { Option, SharedPoll } from '#shared/polls/schema.ts';

const OPTIONS = [1, 2] as const;

type Props = {
  poll: SharedPoll;
  /** Whether this device knows an account, whose session has ended. */
  hasAccount: boolean;
  /** The option that was just tapped; the login and sign-up forms come next. */
  chosen: Option | null;
  onVote(option: Option): void;
};

/** The page of a share link, for visitors: an open poll with vote buttons, a closed poll with its results. */
export function SharedPollPage({ poll, hasAccount, chosen, onVote }: Props) {
  const { results } = poll;
  const nowMs = useServerNow();
  const isHydrated = !useIsPrerendered();
  const isOpen = poll.status === 'active';
  return (
    <article data-poll-detail="" className="mx-auto w-full max-w-[35rem]">
      <h1 className="wrap-anywhere px-1 pt-2 pb-3 text-title">{poll.question}</h1>
      <div className="pair-ground-page">
        <ImagePair
          poll={withoutImageSizes(poll)}
          chosen={chosen}
          hasTick={false}
          sizes="(min-width: 37rem) 280px, 50vw"
          priority
        />
        <div className="pt-2">
          {isOpen ? (
            <VoteButtons poll={poll} chosen={null} onVote={onVote} className="min-h-18" />
          ) : (
            // The bar has an inline style, which prerendered pages cannot have.
            <div className="min-h-14">
              {isHydrated && (
                <Results
                  poll={{ ...poll, votesCount: shownVotesOf({ results, votesCount: 0 }) }}
                  cardState={resultsStateOf(results, null) ?? { kind: 'closed' }}
                  justVoted={false}
                />
              )}
            </div>
          )}
        </div>
      </div>
      {isOpen && (
        <p className="mx-auto max-w-60 py-4 text-center font-semibold text-field">
          Pick one, then {hasAccount ? 'log in' : 'sign up'} and your vote counts.
        </p>
      )}
      {/* Contains dates, which prerendered pages cannot have. */}
      <div className={`card px-4 py-1 ${isOpen ? '' : 'mt-4'} ${isHydrated ? '' : 'min-h-32 invisible'}`}>
        {isHydrated && <PollInfo poll={poll} nowMs={nowMs} />}
      </div>
      {isOpen ? (
        <p className="py-5 text-center text-muted text-small">Two images, one tap, and everybody’s answer.</p>
      ) : (
        <div className="grid gap-4 py-6 text-center">
          <p className="mx-auto max-w-72 text-field text-muted">
            {hasNoVotes(poll)
              ? 'No votes came in. What do you want to know from the crowd?'
              : 'The crowd has decided. What do you want to know from it?'}
          </p>
          <PrimaryLink to={paths.auth.href(hasAccount ? {} : { tab: 'signup' })}>
            {hasAccount ? 'Log in' : 'Sign up'} and ask
          </PrimaryLink>
        </div>
      )}
    </article>
  );
}

function PollInfo({ poll, nowMs }: { poll: SharedPoll; nowMs: number }) {
  const name = poll.user?.username ?? ANONYMOUS_USERNAME;
  const { results } = poll;
  return (
    <>
      <div className="flex items-center gap-3 py-3">
        <Avatar name={name} size="large" />
        <div className="min-w-0">
          <p className="truncate font-bold text-body">{name}</p>
          <p className="text-muted text-small">asked on {dateLabel(poll.createdAt)}</p>
        </div>
      </div>
      <dl>
        {results !== null &&
          OPTIONS.map((option) => (
            <InfoRow key={option} name={captionOf(poll, option)}>
              {countLabel(option === 1 ? results.option1 : results.option2, 'vote')}
            </InfoRow>
          ))}
        {poll.status === 'active' ? (
          <InfoRow name="Open for">{timeLeftLabel(poll.closesAt, nowMs)}</InfoRow>
        ) : (
          <InfoRow name="Status">
            <Chip icon={Flag}>{closedLabelOf(poll.status, poll.closedEarly)}</Chip>
          </InfoRow>
        )}
      </dl>
    </>
  );
}
