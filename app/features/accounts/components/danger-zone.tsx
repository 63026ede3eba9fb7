import { LogOut } from 'lucide-react';
import { requestLogOut } from '#app/features/accounts/actions.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Panel } from '#app/ui/panel.tsx';

export function DangerZone() {
  return (
    <Panel title="Danger Zone">
      <p className="text-body text-muted">
        Logging out clears this device. If changes are waiting to be sent, we ask you first.
      </p>
      <SecondaryButton className="min-h-12 text-error" onClick={() => void requestLogOut()}>
        <Icon icon={LogOut} /> Logout
      </SecondaryButton>
    </Panel>
  );
}
