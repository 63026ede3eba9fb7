import { Cat, Dog, Hamburger, Pizza, Rocket, Sailboat } from 'lucide-react';
import { lazy, useState } from 'react';
import { refreshFeed } from '#app/features/polls/actions.ts';
import { QrCode } from '#app/features/polls/components/share/qr-code.tsx';
import { useIsPollsTabEmpty } from '#app/features/polls/queries.ts';
import { InviteCard } from '#app/features/referrals/components/invite-card.tsx';
import { useUser } from '#app/lib/engine/session.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { ThumbnailPair } from '#app/ui/feedback/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';

const ICON_PAIRS = [
  [Cat, Dog],
  [Pizza, Hamburger],
  [Rocket, Sailboat],
] as const;

// Works online only, so it is not stored on devices.
const FirstSamples = lazy(() => import('#app/features/admin/components/jobs/first-samples.tsx'));

/** Offers administrators of an installation without polls to generate sample polls or to invite people. */
export default function AdminFirstSteps() {
  const user = useUser();
  const isEmpty = useIsPollsTabEmpty();
  const [isGenerating, setGenerating] = useState(false);
  if (user === null || !(isEmpty || isGenerating)) return null;
  return (
    // Moves above the polls once they appear, so that the progress remains visible.
    <div className={`mx-auto grid w-full max-w-[35rem] gap-2.5 pt-4 ${isEmpty ? '' : 'order-first'}`}>
      <section aria-label="Sample polls" className="grid gap-3 card p-4">
        <OnlineButtons offline="You are offline. Connect to generate polls.">
          <LazyBoundary
            errorFallback={<SecondaryButton onClick={() => location.reload()}>Reload Now</SecondaryButton>}
          >
            <FirstSamples onPollsCreated={() => void refreshFeed()} onActiveChange={setGenerating}>
              <SamplesOffer />
            </FirstSamples>
          </LazyBoundary>
        </OnlineButtons>
      </section>
      {isEmpty && (
        <InviteCard
          code={user.referralCode}
          renderQrCode={(url) => <QrCode url={url} className="size-29" />}
        />
      )}
    </div>
  );
}

function SamplesOffer() {
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {ICON_PAIRS.map(([Left, Right]) => (
          <ThumbnailPair
            key={Left.displayName}
            halves={[<Icon key="left" icon={Left} />, <Icon key="right" icon={Right} />]}
            badge="or"
          />
        ))}
      </div>
      <div>
        <h2 className="text-question">Or fill it first</h2>
        <p className="text-muted text-small">Questions with illustrations, marked as samples.</p>
      </div>
    </>
  );
}
