import { useAtom } from 'jotai';
import { useId } from 'react';
import { emailEnabledAtom, pushEnabledAtom } from '#app/features/settings/atoms.ts';
import { Panel } from '#app/ui/panel.tsx';

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
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-text`}
      onClick={() => onChange(!isOn)}
      className="flex min-h-12 w-full cursor-pointer items-center gap-3 rounded-control text-left"
    >
      <span className="min-w-0 flex-1">
        <span id={`${id}-label`} className="block font-semibold text-body">
          {label}
        </span>
        <span id={`${id}-text`} className="block wrap-anywhere text-muted text-small">
          {description}
        </span>
      </span>
      <span
        aria-hidden="true"
        className={`flex h-7 w-12 shrink-0 items-center rounded-full border p-0.5 ${isOn ? 'justify-end border-neutral bg-neutral' : 'border-edge bg-base-300'}`}
      >
        <span className={`size-6 rounded-full ${isOn ? 'bg-base-100' : 'bg-muted'}`} />
      </span>
    </button>
  );
}
