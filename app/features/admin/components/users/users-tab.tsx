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
import { UserCards, UserTable } from './user-rows.tsx';

export function UsersTab({ typed }: { typed: string }) {
  const list = useList('users', fetchUsers, typed);
  const session = useSession();
  const isDesktop = useIsDesktop();
  const [pendingDelete, setPendingDelete] = useState<User | null>(null);
  const ownId = session.status === 'user' ? session.user.id : 0;

  async function suspend(user: User, isSuspended: boolean) {
    const updated = await setSuspended(user, isSuspended);
    if (updated === null) return;
    if (updated === 'gone') return list.reload();
    list.change((page) => ({
      ...page,
      users: page.users.map((each) => (each.id === updated.id ? updated : each)),
    }));
  }

  function renderMenu(user: User) {
    const isProtected = isProtectedAccount(user, ownId);
    const label = `Actions for ${user.username}`;
    return (
      <RowMenu
        label={isProtected ? `${label}: this account is protected` : label}
        isDisabled={isProtected}
        items={[
          user.isSuspended
            ? { icon: Undo2, label: 'Unsuspend', onSelect: () => void suspend(user, false) }
            : { icon: Ban, label: 'Suspend', onSelect: () => void suspend(user, true) },
          { icon: Trash2, label: 'Delete user', isDestructive: true, onSelect: () => setPendingDelete(user) },
        ]}
      />
    );
  }

  const users = list.data?.users ?? [];
  return (
    <>
      <ListState list={list} itemsName="users" failure="Failed to fetch users">
        {isDesktop ? (
          <UserTable users={users} renderMenu={renderMenu} />
        ) : (
          <UserCards users={users} renderMenu={renderMenu} />
        )}
      </ListState>
      {pendingDelete !== null && (
        <ConfirmDialog
          key={pendingDelete.id}
          title={`Delete ${pendingDelete.username}?`}
          confirmLabel="Delete user"
          pendingLabel="Deleting…"
          onConfirm={async () => {
            if (await deleteUser(pendingDelete)) list.reload();
          }}
          onClose={() => setPendingDelete((current) => (current?.id === pendingDelete.id ? null : current))}
        >
          <p>
            The account, its sessions and all personal data are deleted at once, for good. Polls and votes
            stay, without a name.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
