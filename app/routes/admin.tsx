import { type ComponentType, lazy, type ReactNode, useEffect } from 'react';
import { Navigate } from 'react-router-dom';
import { RecoveryCodesDialog } from '#app/features/accounts/components/passkeys/recovery-codes-dialog.tsx';
import {
  areCodesMissing,
  forgetRecoveryCodes,
  useRecoveryCodes,
} from '#app/features/accounts/lib/recovery-codes.ts';
import { ApiError, codeOf } from '#app/lib/api/api-error.ts';
import { useIsAdmin, useUser } from '#app/lib/engine/session.ts';
import { isChunkLoadError } from '#app/lib/faults/chunk-load-error.ts';
import { reloadOnce } from '#app/lib/faults/faults.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { showToast } from '#app/lib/toasts.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton, PrimaryLink } from '#app/ui/button.tsx';
import { MessageScreen } from '#app/ui/feedback/message-screen.tsx';
import { PageSpinner } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { OfflineNotice, OnlineComponent } from '#app/ui/online.tsx';
import { ACCESS_DENIED_TITLE, NOT_ADMIN_MESSAGE } from '#shared/accounts/constants.ts';

const AdminPasskey = lazy(() => import('#app/features/accounts/components/passkeys/admin-passkey.tsx'));

/** The delay before the reload that a failed chunk needs, because the browser may have just come online. */
const RELOAD_DELAY_MS = 1_500;

const loadDashboard = () => checkAndLoad(() => import('#app/features/admin/components/admin-dashboard.tsx'));
const loadAdminSimple = () => checkAndLoad(() => import('#app/features/admin/components/admin-simple.tsx'));

/** Loads a screen once the server has confirmed that the user is an administrator. */
async function checkAndLoad(load: () => Promise<{ default: ComponentType }>): Promise<ComponentType> {
  const { checkAccess } = await import('#app/features/admin/queries.ts');
  await checkAccess();
  // The screen that asks for the passkey then makes new recovery codes, too.
  if (await areCodesMissing())
    throw Object.assign(new Error('Recovery codes are missing'), { code: 'passkey_needed' });
  return (await load()).default;
}

export function AdminRoute() {
  return <AdminGate load={loadDashboard} denied={<Navigate to={paths.root.href()} replace />} />;
}

export function AdminSimpleRoute() {
  const denied = (
    <MessageScreen title={ACCESS_DENIED_TITLE} text={NOT_ADMIN_MESSAGE} isAlert={false}>
      <PrimaryLink to={paths.root.href()}>Return to the app</PrimaryLink>
    </MessageScreen>
  );
  return <AdminGate load={loadAdminSimple} denied={denied} />;
}

type Props = {
  load(): Promise<ComponentType>;
  /** Rendered, together with a toast, for users who are not administrators. */
  denied: ReactNode;
};

function AdminGate({ load, denied }: Props) {
  const user = useUser();
  const isAdmin = useIsAdmin();
  const recoveryCodes = useRecoveryCodes(user?.id);
  usePageTitle('Admin');
  if (user !== null && recoveryCodes?.phase === 'new') {
    return (
      <RecoveryCodesDialog
        codes={recoveryCodes.codes}
        username={user.username}
        onClose={forgetRecoveryCodes}
      />
    );
  }
  return (
    <OnlineComponent
      // Checks the access again when the user or their rights change.
      key={`${user?.id ?? ''} ${isAdmin}`}
      load={load}
      loading={<PageSpinner />}
      offline={
        <MessageScreen title="Admin" isAlert={false}>
          <OfflineNotice>The admin tools only work online.</OfflineNotice>
        </MessageScreen>
      }
      renderError={(error, retry) => {
        if (codeOf(error) === 'passkey_needed' && user !== null) {
          return (
            <LazyBoundary
              fallback={<PageSpinner />}
              errorFallback={<AccessCheckError error={null} onTryAgain={() => location.reload()} />}
            >
              <AdminPasskey user={user} onDone={retry} />
            </LazyBoundary>
          );
        }
        return error instanceof ApiError && error.status === 403 ? (
          <AccessDenied>{denied}</AccessDenied>
        ) : (
          <AccessCheckError error={error} onTryAgain={retry} />
        );
      }}
    />
  );
}

function AccessDenied({ children }: { children: ReactNode }) {
  useEffect(() => showToast('error', ACCESS_DENIED_TITLE, NOT_ADMIN_MESSAGE, { topic: 'admin' }), []);
  return children;
}

function AccessCheckError({ error, onTryAgain }: { error: unknown; onTryAgain(): void }) {
  // Reloading without asking is safe: there is no user input on this screen.
  const needsReload = isChunkLoadError(error);
  useEffect(() => {
    if (!needsReload) return;
    const timer = setTimeout(reloadOnce, RELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [needsReload]);
  return (
    <MessageScreen
      title="Connection Error"
      text="Could not verify your access level. Please try again later."
    >
      <PrimaryButton onClick={onTryAgain}>Try Again</PrimaryButton>
    </MessageScreen>
  );
}
