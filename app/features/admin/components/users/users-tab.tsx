import { Ban, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { deleteUser, setSuspended } from '#app/features/admin/actions.ts';
import { ConfirmDialog } from '#app/features/admin/components/confirm-dialog.tsx';
import { ListState } from '#app/features/admin/components/list-state.tsx';
import { RowMenu } from '#app/features/admin/components/row-menu.tsx';
import { useList } from '#app/features/admin/hooks/use-list.ts';
import { fetchUsers } from '#app/features/admin/queries.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useIsDesktop } from '#app/lib/media.ts';
import type { User } from '#shared/accounts/schema.ts';
import { isProtectedAccount } from '#shared/admin/rules.ts';
import { UserCards } from './user-cards.tsx';
import { UserTable } from './user-table.tsx';

/** Everybody who has an account, and what can be done about them. */
export function UsersTab({ typed }: { typed: string }) {
  const list = useList('users', fetchUsers, typed);
  const session = useSession();
  const isDesktop = useIsDesktop();
  const [pendingDelete, setPendingDelete] = useState<User | null>(null);
  const ownId = session.status === 'user' ? session.user.id : 0;

  async function suspend(user: User, isSuspended: boolean) {
    const now = await setSuspended(user, isSuspended);
    if (now === null) return;
    if (now === 'gone') return list.reload();
    list.change((page) => ({ ...page, users: page.users.map((each) => (each.id === now.id ? now : each)) }));
  }

  function menu(user: User) {
    const isProtected = isProtectedAccount(user, ownId);
    const label = `Actions for ${user.username}`;
    return (
      <RowMenu
        label={isProtected ? `${label}: this account is protected` : label}
        isDisabled={isProtected}
        items={[
          user.isSuspended
            ? { icon: Undo2, label: 'Unsuspend', onChoose: () => void suspend(user, false) }
            : { icon: Ban, label: 'Suspend', onChoose: () => void suspend(user, true) },
          { icon: Trash2, label: 'Delete user', isGrave: true, onChoose: () => setPendingDelete(user) },
        ]}
      />
    );
  }

  const users = list.data?.users ?? [];
  return (
    <>
      <ListState list={list} things="users" failure="Failed to fetch users">
        {isDesktop ? <UserTable users={users} menu={menu} /> : <UserCards users={users} menu={menu} />}
      </ListState>
      {pendingDelete !== null && (
        <ConfirmDialog
          key={pendingDelete.id}
          title={`Delete ${pendingDelete.username}?`}
          action="Delete user"
          doing="Deleting…"
          onConfirm={async () => {
            if (await deleteUser(pendingDelete)) list.reload();
          }}
          onClose={() => setPendingDelete((now) => (now?.id === pendingDelete.id ? null : now))}
        >
          <p>
            The account, its sessions and all personal data go at once, for good. Polls and votes stay,
            without a name.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
