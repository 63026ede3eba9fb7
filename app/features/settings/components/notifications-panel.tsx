import { type ReactNode, useState } from 'react';
import { switchWeeklyMail } from '#app/features/settings/actions.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { Switch } from '#app/ui/forms/switch.tsx';
import { Panel } from '#app/ui/panel.tsx';
import type { User } from '#shared/accounts/schema.ts';

type Props = { user: User; pushSwitch: ReactNode };

export function NotificationsPanel({ user, pushSwitch }: Props) {
  return (
    <Panel title="Notifications">
      <div className="grid gap-2">
        {pushSwitch}
        <WeeklyMailSwitch user={user} />
      </div>
    </Panel>
  );
}

/** A setting of the account, the same on every device. Disabled if the server is older than the weekly mail. */
function WeeklyMailSwitch({ user }: { user: User }) {
  const isReachable = useReachable();
  /** The requested state; null unless a request is in flight. */
  const [requested, setRequested] = useState<boolean | null>(null);

  async function change(isOn: boolean) {
    setRequested(isOn);
    await switchWeeklyMail(user.id, isOn);
    setRequested(null);
  }

  return (
    <Switch
      label="Email"
      description={descriptionOf(user, isReachable)}
      isOn={requested ?? user.weeklyMail ?? false}
      isDisabled={!isReachable || requested !== null || user.weeklyMail === undefined}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

function descriptionOf({ email, isVerified }: User, isReachable: boolean): string {
  if (!isReachable) return 'Connect to change this';
  return isVerified ? `Once a week, to ${email}` : 'Once a week, once you have verified your email';
}
