import { AccountPanel } from '#app/features/accounts/components/account-panel.tsx';
import { DangerZone } from '#app/features/accounts/components/danger-zone.tsx';
import { NotificationsPanel } from '#app/features/settings/components/notifications-panel.tsx';
import { useIsAdmin, useSession } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/page-title.ts';
import { Panel } from '#app/ui/panel.tsx';
import { ThemeChoice } from '#app/ui/theme-choice.tsx';
import { AdminTools } from './admin-tools.tsx';

export default function SettingsRoute() {
  const session = useSession();
  const isAdmin = useIsAdmin();
  usePageTitle('Settings');
  if (session.status !== 'user') return null;
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 pb-2 text-title max-md:hidden">Settings</h1>
      <div className="grid gap-2.5">
        <AccountPanel key={session.user.id} user={session.user} />
        <Panel title="Appearance">
          <ThemeChoice />
        </Panel>
        <NotificationsPanel email={session.user.email} />
        {isAdmin && <AdminTools />}
        <DangerZone />
      </div>
    </div>
  );
}
