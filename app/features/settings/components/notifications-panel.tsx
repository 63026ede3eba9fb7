import { useAtom } from 'jotai';
import { atomWithStorage } from 'jotai/utils';
import { useId } from 'react';
import { Panel } from '#app/ui/panel.tsx';

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

type SwitchProps = { label: string; description: string; isOn: boolean; onChange(isOn: boolean): void };

/** The whole row can be tapped. */
function Switch({ label, description, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <label className="flex min-h-12 cursor-pointer items-center gap-3">
      <span className="min-w-0 flex-1">
        <span className="block font-semibold text-body">{label}</span>
        <span id={id} className="block wrap-anywhere text-muted text-small">
          {description}
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        aria-describedby={id}
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="h-7 w-12 shrink-0 cursor-pointer appearance-none rounded-full border border-edge bg-base-300 p-px before:block before:size-6 before:rounded-full before:bg-muted checked:border-neutral checked:bg-neutral checked:before:ml-5 checked:before:bg-base-100"
      />
    </label>
  );
}
