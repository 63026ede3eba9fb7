import { useAtom } from 'jotai';
import { atomWithStorage } from 'jotai/utils';
import type { ReactNode } from 'react';
import { Panel } from '#app/ui/panel.tsx';
import { Switch } from '#app/ui/switch.tsx';

// Stored on the device only.
const emailEnabledAtom = atomWithStorage('notifications-email', true, undefined, { getOnInit: true });

export function NotificationsPanel({ email, pushSwitch }: { email: string; pushSwitch: ReactNode }) {
  const [isEmailEnabled, setEmailEnabled] = useAtom(emailEnabledAtom);
  return (
    <Panel title="Notifications">
      <div className="grid gap-2">
        {pushSwitch}
        <Switch label="Email" description={`To ${email}`} isOn={isEmailEnabled} onChange={setEmailEnabled} />
      </div>
    </Panel>
  );
}
