import { useAtom } from 'jotai';
import { emailWantedAtom, pushWantedAtom } from '#app/features/settings/atoms.ts';
import { Panel } from '#app/ui/panel.tsx';
import { Switch } from '#app/ui/switch.tsx';

/** Which news one wants to hear of, and how. */
export function NotificationsPanel({ email }: { email: string }) {
  const [isPushWanted, wantPush] = useAtom(pushWantedAtom);
  const [isEmailWanted, wantEmail] = useAtom(emailWantedAtom);
  return (
    <Panel title="Notifications">
      <div className="grid gap-2">
        <Switch label="Push" text="On this device" on={isPushWanted} onChange={wantPush} />
        <Switch label="Email" text={`To ${email}`} on={isEmailWanted} onChange={wantEmail} />
      </div>
    </Panel>
  );
}
