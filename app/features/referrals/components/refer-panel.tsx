import { Check, Copy, Share2 } from 'lucide-react';
import { useState } from 'react';
import { referralLink } from '#app/features/referrals/lib/referral-link.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { copyText, shareLink, withoutScheme } from '#app/lib/sharing/share.ts';
import { useCopied } from '#app/lib/sharing/use-copied.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import {
  REFERRAL_POINTS,
  REFERRAL_SIGNUP_POINTS,
  REFERRAL_SIGNUPS_PER_DAY_MAX,
  REFERRAL_VERIFIED_POINTS,
} from '#shared/points/constants.ts';
import { readReferralPoints } from '#sync/client/cache/reads.ts';

/** How long each screen shows that the link was copied. These times are required (docs/spec-coverage.md). */
const COPIED_MS = { home: 2_000, referrals: 3_000 };

/** The limit that applies to both offers. */
const LIMIT_NOTE = `From the ${REFERRAL_SIGNUPS_PER_DAY_MAX + 1}th friend within 24 hours, you get all ${REFERRAL_POINTS} points when they verify.`;

const OFFERS = {
  home: `${REFERRAL_SIGNUP_POINTS} points for each friend who signs up, ${REFERRAL_VERIFIED_POINTS} more when they verify their email. ${LIMIT_NOTE}`,
  referrals: `${REFERRAL_POINTS} points for each friend: ${REFERRAL_SIGNUP_POINTS} when they sign up, ${REFERRAL_VERIFIED_POINTS} when they verify their email. ${LIMIT_NOTE}`,
};

type Props = { code: string; screen: keyof typeof COPIED_MS };

export function ReferPanel({ code, screen }: Props) {
  const link = referralLink(code);
  // Undefined if no points were earned, or while their number is unknown.
  const earnedPoints = useUserQuery(readReferralPoints);
  const [isCopied, showCopied] = useCopied(COPIED_MS[screen]);
  /** The user then copies the link by hand. */
  const [hasCopyFailed, setCopyFailed] = useState(false);

  function onCopied() {
    showCopied();
    // Dismisses the toast about an earlier attempt that failed.
    dismissTopic('copy');
  }

  return (
    <section className="mx-auto mt-3 w-full max-w-[35rem]">
      <div className="rounded-card bg-primary p-5 text-primary-content">
        <h2 className="font-extrabold text-title">Bring a friend</h2>
        <p className="pt-1.5 pb-4 text-field">{OFFERS[screen]}</p>
        <div className="mb-2.5 flex items-center rounded-control bg-[oklch(96%_0.07_98)] pl-3.5">
          <span
            className={`min-w-0 flex-1 py-3 text-body ${hasCopyFailed ? 'wrap-anywhere select-all' : 'truncate'}`}
          >
            {hasCopyFailed ? link : withoutScheme(link)}
          </span>
          <button
            type="button"
            onClick={() => void copyText(link, onCopied, () => setCopyFailed(true))}
            aria-label={isCopied ? 'Copied' : 'Copy link'}
            className="grid size-12 shrink-0 cursor-pointer place-items-center rounded-control outline-primary-content"
          >
            <Icon icon={isCopied ? Check : Copy} />
          </button>
        </div>
        <p aria-live="polite" className="sr-only">
          {isCopied ? 'Copied' : ''}
        </p>
        {/* Required (docs/spec-coverage.md): on the home screen, a share that fails is only logged. */}
        <PrimaryButton
          className="btn-inverse w-full"
          onClick={() =>
            void shareLink({ title: 'This or That?', url: link }, { showsFailure: screen === 'referrals' })
          }
        >
          <Icon icon={Share2} /> Share Link
        </PrimaryButton>
      </div>
      <dl className="flex flex-wrap gap-2 pt-2">
        <Stat name="Your code" value={code} />
        <Stat name="Points Earned" value={earnedPoints === undefined ? '--' : `${earnedPoints}`} />
      </dl>
    </section>
  );
}

function Stat({ name, value }: { name: string; value: string }) {
  return (
    <div className="min-w-0 last:grow card p-4">
      <dt className="text-body text-muted">{name}</dt>
      <dd className="figures wrap-anywhere select-all font-bold max-xs:text-question text-[1.5rem] leading-[2rem]">
        {value}
      </dd>
    </div>
  );
}
