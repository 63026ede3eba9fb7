import { type ComponentType, type ReactNode, useEffect } from 'react';
import { ApiError } from '#app/lib/api/api-error.ts';
import { useIsAdmin, useSession } from '#app/lib/engine/session.ts';
import { reloadByItself } from '#app/lib/faults/faults.ts';
import { isLostPart } from '#app/lib/faults/lost-part.ts';
import { showToast } from '#app/lib/toasts.ts';
import { Key } from '#app/ui/button.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { OnlinePart } from '#app/ui/online-part.tsx';
import { Spinner } from '#app/ui/spinner.tsx';
import { ACCESS_DENIED, NOT_ADMIN } from '#shared/accounts/constants.ts';

/** A connection that has just come back may still be weak: a lost part is asked for with a new page after this. */
const RELOAD_MS = 1_500;

type Props = {
  load(): Promise<ComponentType>;
  /** Stands there for whoever is no administrator; that they are told comes with it. */
  denied: ReactNode;
};

/** For `AdminGate`: the screen, once the server has said that this is an administrator. */
export async function checked(load: () => Promise<{ default: ComponentType }>): Promise<ComponentType> {
  const { checkAccess } = await import('#app/features/admin/queries.ts');
  await checkAccess();
  return (await load()).default;
}

function isDenied(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

/** The door to what only administrators may see. It is open online only. */
export function AdminGate({ load, denied }: Props) {
  const session = useSession();
  const isAdmin = useIsAdmin();
  return (
    <OnlinePart
      // Whoever else comes, and whoever loses the rights, is checked anew.
      key={`${session.status === 'user' ? session.user.id : ''} ${isAdmin}`}
      load={load}
      waiting={<Spinner label="Loading" />}
      offline={
        <section className="mx-auto grid max-w-80 gap-3 pt-20 text-center">
          <h1 className="text-title">Admin</h1>
          <OnlineOnly>The administrators’ tools work online only.</OnlineOnly>
        </section>
      }
      failed={(error, tryAgain) =>
        isDenied(error) ? <Denied>{denied}</Denied> : <CheckFailed error={error} onTryAgain={tryAgain} />
      }
    />
  );
}

function Denied({ children }: { children: ReactNode }) {
  useEffect(() => showToast('bad', ACCESS_DENIED, NOT_ADMIN, 'admin'), []);
  return children;
}

function CheckFailed({ error, onTryAgain }: { error: unknown; onTryAgain(): void }) {
  // Nothing that somebody typed is on this page: it may be loaded anew without asking.
  const needsReload = isLostPart(error);
  useEffect(() => {
    if (!needsReload) return;
    const timer = setTimeout(reloadByItself, RELOAD_MS);
    return () => clearTimeout(timer);
  }, [needsReload]);
  return (
    <section role="alert" className="mx-auto grid max-w-80 gap-3 pt-20 text-center">
      <h1 className="text-title">Connection Error</h1>
      <p className="pb-2 text-field text-muted">
        Could not verify your access level. Please try again later.
      </p>
      <Key onClick={onTryAgain}>Try Again</Key>
    </section>
  );
}
