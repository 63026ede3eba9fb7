import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { Panel } from '#app/ui/panel.tsx';
import { REMOVED_POLLS_KEPT_DAYS, REPORTS_TO_HIDE } from '#shared/reports/constants.ts';

const RULES = [
  ['No nudity', 'No naked bodies and no sexual acts, drawn ones included.'],
  ['No violence', 'No injuries, no cruelty to people or animals, no threats.'],
  [
    'No hate',
    'Nothing against people for who they are, where they come from, what they believe or whom they love.',
  ],
  ['No spam', 'No advertising, no links to follow, and not the same poll over and over.'],
  ['Nothing illegal', 'No weapons or drugs for sale, and no images that you have no right to post.'],
  [
    'Fit for everyone',
    'Do not post private things about other people, and do not pretend to be someone else.',
  ],
] as const;

export default function RulesRoute() {
  usePageTitle('The rules');
  return (
    <div className="mx-auto grid w-full max-w-[35rem] gap-2.5">
      <h1 className="pt-3 text-title">The rules</h1>
      <p className="pb-1 text-body text-muted">Post anything that is fun, fair and fit for everyone.</p>
      <Panel title="Rules for polls">
        <ol className="grid gap-3">
          {RULES.map(([title, text]) => (
            <li key={title} className="text-body">
              <b className="block font-bold">{title}</b>
              {text}
            </li>
          ))}
        </ol>
      </Panel>
      <Panel title="If a poll breaks a rule">
        <p className="text-body">
          Report it from its menu. It disappears for you right away, and its maker never learns who reported
          it. Once {REPORTS_TO_HIDE} people with a verified email have reported a poll, it is hidden until we
          have reviewed it.
        </p>
        <p className="text-body">
          We then keep the poll, remove it, or remove it and suspend its maker. If a poll is removed, its
          maker is told in My Polls and by email, with the rule that it broke if the reports named one, and
          the poll is deleted after {REMOVED_POLLS_KEPT_DAYS} days. Suspended users cannot log in until we
          lift the suspension. They are told by email and when they try to log in.
        </p>
        <p className="text-body">
          You can also block the maker from the poll’s menu. You will not see any of their polls until you
          unblock them in Settings.
        </p>
      </Panel>
    </div>
  );
}
