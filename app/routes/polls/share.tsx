import { useAtomValue } from 'jotai';
import { lazy, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { SharedPollPage } from '#app/features/polls/components/share/shared-poll-page.tsx';
import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { replayEarlyClicks } from '#app/lib/browser/early-clicks.ts';
import { engineFailedAtom } from '#app/lib/engine/engine.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { logWarning } from '#app/lib/log.ts';
import { focusPendingMain } from '#app/lib/navigation/focus-main.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { pendingVoteFor, storePendingVote } from '#app/lib/sharing/pending-vote.ts';
import { readServedPoll, type ServedPoll } from '#app/lib/sharing/served-poll.ts';
import { paths } from '#app/paths.ts';
import { PrimaryLink, SecondaryButton } from '#app/ui/button.tsx';
import { MessageScreen } from '#app/ui/feedback/message-screen.tsx';
import { PageSpinner } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { Wordmark } from '#app/ui/wordmark.tsx';
import { readSharedPoll } from '#shared/polls/contract.ts';
import type { Option } from '#shared/polls/schema.ts';
import { castPendingVote, findCachedPollId } from './lazy-share-links.ts';

const ThemeToggle = lazy(() => import('#app/layouts/theme-toggle.tsx'));

export default function ShareRoute() {
  const { slug = '' } = useParams();
  return <ShareScreen key={slug} slug={slug} />;
}

/** Tells the login screen that `next` is the previous entry of the browser's history. */
const FROM_NEXT = { isFromNext: true };

type LoadResult = ServedPoll | { kind: 'failed'; error: unknown };

/** Casts the pending vote of users and redirects them to the poll; shows the poll to visitors. */
function ShareScreen({ slug }: { slug: string }) {
  const session = useSession();
  const hasAccount = session.status === 'user';
  const isUser = hasAccount && !session.needsLogin;
  const [result, setResult] = useState<LoadResult | null>(() => readServedPoll(slug));
  const [tappedOption, setTappedOption] = useState<Option | null>(null);
  const hasEngineFailed = useAtomValue(engineFailedAtom);
  const navigate = useNavigate();
  useEffect(replayEarlyClicks, []);
  useEffect(focusPendingMain, []);

  const hasResult = result !== null;
  // Without the engine, every user is treated as a visitor; the login and sign-up forms load the engine again.
  const isSessionKnown = session.status !== 'loading' || hasEngineFailed;
  const load = useEffectEvent(async () => {
    const cachedId = isUser ? await findCachedPollId(session.db, slug) : null;
    if (cachedId !== null) void navigate(paths.poll.href(cachedId), { replace: true });
    else setResult(await fetchSharedPoll(slug));
  });
  useEffect(() => {
    // The pending vote for this link contains the poll.
    if (hasResult || !isSessionKnown || (isUser && pendingVoteFor(slug) !== null)) return;
    void load();
  }, [hasResult, isSessionKnown, isUser, slug]);

  const loadedId = result?.kind === 'poll' ? result.poll.id : null;
  const redirectToPoll = useEffectEvent(async (pollId: string | null) => {
    const pending = pendingVoteFor(slug);
    const id = pending?.poll.id ?? pollId;
    // After a failure the screen of the poll shows its current state.
    if (pending !== null)
      await castPendingVote(pending).catch((error: unknown) => logWarning('The vote was not cast:', error));
    if (id !== null) void navigate(paths.poll.href(id), { replace: true });
  });
  useEffect(() => {
    if (isUser) void redirectToPoll(loadedId);
  }, [isUser, loadedId]);

  useEffect(() => {
    if (tappedOption === null || !isSessionKnown || isUser) return;
    const tab = hasAccount ? undefined : 'signup';
    void navigate(paths.auth.href({ tab, next: paths.share.href(slug) }), { state: FROM_NEXT });
  }, [tappedOption, isSessionKnown, isUser, hasAccount, slug, navigate]);

  const isMissing = result?.kind === 'missing';
  if (isUser && !isMissing && result?.kind !== 'failed') return <PageSpinner />;
  return (
    <ShareLayout next={isMissing ? undefined : paths.share.href(slug)} hasLinks={!isUser}>
      {result === null && <PageSpinner />}
      {isMissing && <MissingPoll />}
      {result?.kind === 'failed' && <LoadError error={result.error} onRetry={() => setResult(null)} />}
      {result?.kind === 'poll' && (
        <VisitorPoll
          poll={result.poll}
          hasAccount={hasAccount}
          chosen={tappedOption}
          onVote={(option) => {
            storePendingVote(result.poll, option);
            setTappedOption(option);
          }}
        />
      )}
    </ShareLayout>
  );
}

async function fetchSharedPoll(slug: string): Promise<LoadResult> {
  try {
    return { kind: 'poll', poll: await request(readSharedPoll, { params: { slug } }) };
  } catch (error) {
    return codeOf(error) === 'not_found' ? { kind: 'missing' } : { kind: 'failed', error };
  }
}

function VisitorPoll(props: Parameters<typeof SharedPollPage>[0]) {
  usePageTitle(props.poll.question);
  return <SharedPollPage {...props} />;
}

function MissingPoll() {
  usePageTitle('This poll is gone');
  return (
    <MessageScreen title="This poll is gone" text="It has been removed, or it never existed." isAlert={false}>
      <PrimaryLink to={paths.home.href()}>Back to the polls</PrimaryLink>
    </MessageScreen>
  );
}

function LoadError({ error, onRetry }: { error: unknown; onRetry(): void }) {
  usePageTitle('Poll');
  const isUnreachable = codeOf(error) === 'unreachable';
  return (
    <MessageScreen
      title={isUnreachable ? 'This poll needs a connection' : 'This poll cannot be shown right now'}
      text={isUnreachable ? 'It is not on this device yet.' : errorMessage(error)}
    >
      <SecondaryButton onClick={onRetry}>Try again</SecondaryButton>
    </MessageScreen>
  );
}

/**
 * A header without the app's navigation, and the content of the screen. `hasLinks`: whether the theme toggle, Log in and Sign up
 * are shown.
 */
function ShareLayout({
  next,
  hasLinks,
  children,
}: {
  next: string | undefined;
  hasLinks: boolean;
  children: ReactNode;
}) {
  const state = next === undefined ? null : FROM_NEXT;
  return (
    <>
      <header className="sticky top-0 z-10 bg-base-200 pt-[env(safe-area-inset-top)]">
        <div className="mx-auto flex min-h-14 max-w-[73.5rem] flex-wrap items-center justify-between gap-1 px-3 md:min-h-[4.25rem]">
          <Link
            to={hasLinks ? paths.auth.href() : paths.root.href()}
            aria-label="This or That? Start"
            className="flex min-h-11 items-center rounded-chip px-0.5 text-[min(1.275rem,5.3vw)] md:text-[1.525rem]"
          >
            <Wordmark />
          </Link>
          {hasLinks && (
            <div className="ml-auto flex flex-wrap items-center justify-end gap-1 md:gap-2">
              <div className="-mx-1">
                <LazyBoundary fallback={<div className="size-11" />}>
                  <ThemeToggle />
                </LazyBoundary>
              </div>
              <Link to={paths.auth.href({ next })} state={state} className="btn btn-ghost max-[24rem]:px-1">
                Log in
              </Link>
              <PrimaryLink
                to={paths.auth.href({ tab: 'signup', next })}
                state={state}
                className="max-[24rem]:px-2"
              >
                Sign up
              </PrimaryLink>
            </div>
          )}
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[73.5rem] px-3 pb-[calc(1.25rem+env(safe-area-inset-bottom))]"
      >
        {children}
      </main>
    </>
  );
}
