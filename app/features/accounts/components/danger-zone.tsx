import { LogOut } from 'lucide-react';
import { askToLogOut } from '#app/features/accounts/actions.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Panel } from '#app/ui/panel.tsx';

/** What takes something away: for now, the session of this device. */
export function DangerZone() {
  return (
    <Panel title="Danger Zone">
      <p className="text-body text-muted">
        Logging out clears this device. Changes that wait to be sent are asked about first.
      </p>
      <QuietButton className="min-h-12 text-error" onClick={() => void askToLogOut()}>
        <Icon of={LogOut} /> Logout
      </QuietButton>
    </Panel>
  );
}
