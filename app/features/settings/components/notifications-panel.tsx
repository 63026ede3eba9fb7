import { useAtom } from 'jotai';
import { atomWithStorage } from 'jotai/utils';
import { Panel } from '#app/ui/panel.tsx';
import { Switch } from '#app/ui/switch.tsx';

// Stored on the device only.
const pushEnabledAtom = atomWithStorage('notifications-push', true, undefined, { getOnInit: true });
const emailEnabledAtom = atomWithStorage('notifications-email', true, undefined, { getOnInit: true });

export function NotificationsPanel({ email }: { email: string }) {
  const [isPushEnabled, setPushEnabled] = useAtom(pushEnabledAtom);
  const [isEmailEnabled, setEmailEnabled] = useAtom(emailEnabledAtom);
  return (
    <Panel title="Notifications">
      <div className="grid gap-2">
        <Switch label="Push" description="On this device" isOn={isPushEnabled} onChange={setPushEnabled} />
        <Switch label="Email" description={`To ${email}`} isOn={isEmailEnabled} onChange={setEmailEnabled} />
      </div>
    </Panel>
  );
}
