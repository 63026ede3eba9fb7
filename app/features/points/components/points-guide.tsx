import { Compass, Hourglass, Lightbulb } from 'lucide-react';
import { countLabel } from '#app/lib/count-label.ts';
import { amountLabel } from '#app/lib/points-labels.ts';
import { paths } from '#app/paths.ts';
import { SecondaryLink } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import {
  LOGIN_POINTS,
  LOGIN_POINTS_PER_DAY_MAX,
  REFERRAL_POINTS,
  REFERRAL_SIGNUP_POINTS,
  REFERRAL_SIGNUPS_PER_DAY_MAX,
  REFERRAL_VERIFIED_POINTS,
  SIGNUP_BONUS_POINTS,
  VOTE_POINTS,
} from '#shared/points/constants.ts';
import {
  CREATE_POLL_POINTS_MIN,
  RESPONSE_COST_POINTS,
  RESPONSES_MIN,
  UNVERIFIED_VOTES_PER_DAY_MAX,
} from '#shared/polls/constants.ts';

/** `delta` is null for what the product does not have yet. */
type PointRule = { delta: number | null; title: string; text: string };

const EARNINGS: readonly PointRule[] = [
  {
    delta: VOTE_POINTS,
    title: 'Vote on a poll',
    text: `${countLabel(VOTE_POINTS, 'point')} for each vote, up to ${UNVERIFIED_VOTES_PER_DAY_MAX} in 24 hours until your email is verified`,
  },
  {
    delta: LOGIN_POINTS,
    title: 'Log in',
    text: `Up to ${LOGIN_POINTS_PER_DAY_MAX / LOGIN_POINTS} times a day`,
  },
  {
    delta: REFERRAL_POINTS,
    title: 'Bring a friend',
    text: `${REFERRAL_SIGNUP_POINTS} when they join, ${REFERRAL_VERIFIED_POINTS} when they verify. From the ${REFERRAL_SIGNUPS_PER_DAY_MAX + 1}th friend within 24 hours, you get all ${REFERRAL_POINTS} when they verify`,
  },
  { delta: SIGNUP_BONUS_POINTS, title: 'Sign up', text: 'Already yours' },
  { delta: null, title: 'Share polls for points', text: 'Coming soon' },
];

const COSTS: readonly PointRule[] = [
  {
    delta: -CREATE_POLL_POINTS_MIN,
    title: 'Create a poll',
    text: `${RESPONSES_MIN} responses; ${countLabel(RESPONSE_COST_POINTS, 'point')} for each extra response`,
  },
  { delta: null, title: 'Premium features', text: 'Coming soon' },
];

const TIPS: readonly string[] = [
  `${Math.ceil(CREATE_POLL_POINTS_MIN / VOTE_POINTS)} votes pay for a poll of your own.`,
  'No signal? Vote anyway: you get the point as soon as the vote is sent.',
  'Clear images and short captions get you responses sooner.',
];

export function PointRules() {
  return (
    <>
      <RuleList title="Earn" rules={EARNINGS} />
      <RuleList title="Spend" rules={COSTS} />
    </>
  );
}

function RuleList({ title, rules }: { title: string; rules: readonly PointRule[] }) {
  return (
    <section>
      <h2 className="section-heading text-question">{title}</h2>
      <ul className="card grid gap-4.5 p-4">
        {rules.map(({ delta, title: name, text }) => (
          <li key={name} className="flex items-center gap-3.5">
            <span
              className={`figures grid min-h-10 min-w-14 shrink-0 place-items-center rounded-[13px] font-extrabold text-[1.0625rem] ${delta !== null && delta > 0 ? 'bg-primary text-primary-content' : 'bg-base-300'}`}
            >
              {delta === null ? <Icon icon={Hourglass} className="text-muted" /> : amountLabel(delta)}
            </span>
            <span className="min-w-0">
              <span className="block font-semibold text-body">{name}</span>
              <span className="block text-muted text-small">{text}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Tips() {
  return (
    <section>
      <h2 className="section-heading text-question">Tips</h2>
      <div className="card grid gap-4 p-4">
        <ul className="grid gap-3">
          {TIPS.map((tip) => (
            <li key={tip} className="flex gap-3 text-body">
              <Icon icon={Lightbulb} className="text-muted" />
              {tip}
            </li>
          ))}
        </ul>
        <SecondaryLink to={paths.explore.href()} className="min-h-12 py-1">
          <Icon icon={Compass} /> Start Exploring
        </SecondaryLink>
      </div>
    </section>
  );
}
