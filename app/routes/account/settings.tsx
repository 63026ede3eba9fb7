import { ChevronRight, Shield } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { AccountPanel, DangerZone } from '#app/features/accounts/components/account-panel.tsx';
import { DeletionNotice } from '#app/features/accounts/components/leaving/delete-account.tsx';
import { YourDataPanel } from '#app/features/accounts/components/leaving/your-data-panel.tsx';
import { PasskeysPanel } from '#app/features/accounts/components/passkeys/passkeys-panel.tsx';
import { PasswordPanel } from '#app/features/accounts/components/password-panel.tsx';
import { SessionsPanel } from '#app/features/accounts/components/sessions-panel.tsx';
import { PushSwitch } from '#app/features/notifications/components/push-switch.tsx';
import { BlockedUsers } from '#app/features/settings/components/blocked-users.tsx';
import { NotificationsPanel } from '#app/features/settings/components/notifications-panel.tsx';
import { useIsAdmin, useUser } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { paths } from '#app/paths.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { ThemeChoice } from '#app/ui/forms/theme-choice.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OfflineNotice, OnlineComponent } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';

export default function SettingsRoute() {
  const user = useUser();
  const isAdmin = useIsAdmin();
  // How many times a panel has ended other sessions. As a key, it makes the list of sessions load again.
  const [endedCount, setEndedCount] = useState(0);
  const onSessionsEnded = () => setEndedCount((count) => count + 1);
  usePageTitle('Settings');
  if (user === null) return null;
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 pb-2 text-title max-md:hidden">Settings</h1>
      <div key={user.id} className="grid gap-2.5">
        <DeletionNotice user={user} />
        <AccountPanel user={user} />
        <PasswordPanel user={user} onSessionsEnded={onSessionsEnded} />
        <PasskeysPanel user={user} onSessionsEnded={onSessionsEnded} />
        <SessionsPanel key={endedCount} userId={user.id} />
        <Panel title="Appearance">
          <ThemeChoice />
        </Panel>
        <NotificationsPanel user={user} pushSwitch={<PushSwitch userId={user.id} />} />
        <BlockedUsers />
        {isAdmin && <AdminTools />}
        <YourDataPanel userId={user.id} />
        <DangerZone user={user} />
      </div>
    </div>
  );
}

const loadSamplePolls = async () =>
  (await import('#app/features/admin/components/jobs/sample-polls.tsx')).default;

function AdminTools() {
  return (
    <Panel title="Admin Tools">
      <Link
        to={paths.admin.href()}
        className="flex min-h-12 items-center gap-3 rounded-control font-semibold"
      >
        <Icon icon={Shield} />
        <span className="flex-1">Admin dashboard</span>
        <Icon icon={ChevronRight} size={16} />
      </Link>
      <OnlineComponent
        load={loadSamplePolls}
        loading={null}
        offline={<OfflineNotice>You are offline. Connect to generate polls.</OfflineNotice>}
        renderError={(_, retry) => (
          <FormError>
            The generator could not be loaded.
            <SecondaryButton onClick={retry}>Try Again</SecondaryButton>
          </FormError>
        )}
      />
    </Panel>
  );
}
