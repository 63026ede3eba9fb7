import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { Panel } from '#app/ui/panel.tsx';
import { REMOVED_POLLS_KEPT_DAYS, REPORTS_TO_HIDE } from '#shared/reports/constants.ts';

const RULES = [
  ['No nudity', 'No naked bodies and no sexual acts, including drawn ones.'],
  ['No violence', 'No injuries, no cruelty to people or animals, no threats.'],
  [
    'No hate',
    'Nothing against people for who they are, where they come from, what they believe or whom they love.',
  ],
  ['No spam', 'No advertising, no links to follow, and not the same poll again and again.'],
  ['Nothing illegal', 'No weapons or drugs for sale, and no images that you have no right to post.'],
  ['Fit for everybody', 'Do not post private things about others, and do not pretend to be somebody else.'],
] as const;

export default function RulesRoute() {
  usePageTitle('The rules');
  return (
    <div className="mx-auto grid w-full max-w-[35rem] gap-2.5">
      <h1 className="pt-3 text-title">The rules</h1>
      <p className="pb-1 text-body text-muted">
        What may be posted here: anything fun, fair and fit for everybody.
      </p>
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
          Report it in its menu: it disappears for you at once, and its maker never learns who reported it. A
          poll that {REPORTS_TO_HIDE} people with a verified email have reported is hidden until we have
          looked at it.
        </p>
        <p className="text-body">
          We keep the poll, remove it, or suspend its maker as well. The maker is told which rule it was, in
          My Polls and by email. A suspended user cannot log in until we lift the suspension, and is told so
          by email and at the login. A removed poll is deleted after {REMOVED_POLLS_KEPT_DAYS} days.
        </p>
        <p className="text-body">
          You can also block its maker in the menu. Then you see none of their polls, until you unblock them
          in Settings.
        </p>
      </Panel>
    </div>
  );
}
