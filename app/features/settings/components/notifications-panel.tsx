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

/** The same on every device. Servers that are older than the weekly mail send none. */
function WeeklyMailSwitch({ user }: { user: User }) {
  const isReachable = useReachable();
  /** What it is being switched to. */
  const [wished, setWished] = useState<boolean | null>(null);

  async function change(isOn: boolean) {
    setWished(isOn);
    await switchWeeklyMail(user.id, isOn);
    setWished(null);
  }

  return (
    <Switch
      label="Email"
      description={descriptionOf(user, isReachable)}
      isOn={wished ?? user.weeklyMail ?? false}
      isDisabled={!isReachable || wished !== null || user.weeklyMail === undefined}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

function descriptionOf({ email, isVerified }: User, isReachable: boolean): string {
  if (!isReachable) return 'Switching it needs a connection';
  return isVerified ? `Once a week, to ${email}` : 'Once a week, as soon as your email is verified';
}
