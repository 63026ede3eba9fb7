import { Ban, Check, Mail, Shield, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { deleteUser, setUserSuspended } from '#app/features/admin/actions.ts';
import { numberLabel } from '#app/features/admin/lib/labels.ts';
import { fetchUsers } from '#app/features/admin/queries.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { dateLabel } from '#app/lib/time.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { Chip } from '#app/ui/chip.tsx';
import type { User } from '#shared/accounts/schema.ts';
import { isProtectedAccount, type UserBadge, userBadge } from '#shared/admin/rules.ts';
import { ItemList } from './item-list.tsx';

export function UsersTab({ searchText }: { searchText: string }) {
  const ownId = useUser()?.id ?? 0;
  return (
    <ItemList
      noun="user"
      searchText={searchText}
      fetchPage={fetchUsers}
      columns={[
        { name: 'User', headClass: 'w-[26%]', render: (user) => <Name user={user} /> },
        { name: 'Email', cellClass: 'wrap-anywhere text-muted', render: ({ email }) => email },
        {
          name: 'Points',
          headClass: 'w-[9%] text-right',
          cellClass: 'figures text-right font-bold',
          render: ({ points }) => numberLabel(points),
        },
        { name: 'Status', headClass: 'w-36 lg:w-40', render: (user) => <BadgeChip user={user} /> },
        {
          name: 'Joined',
          headClass: 'w-20 lg:w-24',
          cellClass: 'whitespace-nowrap text-muted',
          render: ({ createdAt }) => dateLabel(createdAt),
        },
      ]}
      renderCard={(user, menu) => <UserCard user={user} menu={menu} />}
      menuOf={(user, apply) => {
        const isProtected = isProtectedAccount(user, ownId);
        return {
          label: `Actions for ${user.username}${isProtected ? ': this account is protected' : ''}`,
          isDisabled: isProtected,
          items: [
            user.isSuspended
              ? { icon: Undo2, label: 'Unsuspend', onSelect: () => apply(setUserSuspended(user, false)) }
              : { icon: Ban, label: 'Suspend', onSelect: () => apply(setUserSuspended(user, true)) },
          ],
        };
      }}
      deletion={{
        titleOf: ({ username }) => `Delete ${username}?`,
        textOf: () =>
          'The account, its sessions and all personal data will be permanently deleted right away. Votes are kept without a name, and so are polls unless the user has asked to delete them.',
        run: deleteUser,
      }}
    />
  );
}

function Name({ user }: { user: User }) {
  return (
    <span className="flex items-center gap-3">
      <Avatar name={user.username} size="medium" />
      <span className="wrap-anywhere min-w-0">
        <span className="font-bold font-display text-label">{user.username}</span>{' '}
        <span className="figures text-muted text-small">#{user.id}</span>
      </span>
    </span>
  );
}

function UserCard({ user, menu }: { user: User; menu: ReactNode }) {
  return (
    <li className="card flex gap-3 p-3 pr-1.5">
      <Avatar name={user.username} size="large" />
      <div className="min-w-0 flex-1">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <h2 className="wrap-anywhere text-label">
              {user.username} <span className="figures font-normal text-muted text-small">#{user.id}</span>
            </h2>
            <p className="wrap-anywhere text-muted text-small">{user.email}</p>
          </div>
          <div className="-mt-1">{menu}</div>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-2 pt-0.5 pr-2.5">
          <BadgeChip user={user} />
          <p className="text-muted text-small">
            <span className="figures font-bold text-base-content">{numberLabel(user.points)}</span>{' '}
            {user.points === 1 ? 'point' : 'points'} · {dateLabel(user.createdAt)}
          </p>
        </div>
      </div>
    </li>
  );
}

const BADGES = {
  admin: { icon: Shield, tone: 'strong', children: 'Admin' },
  suspended: { icon: Ban, tone: 'error', children: 'Suspended' },
  active: { icon: Check, tone: 'quiet', children: 'Active' },
  unverified: { icon: Mail, tone: 'outline', children: 'Unverified' },
} as const satisfies Record<UserBadge, unknown>;

function BadgeChip({ user }: { user: User }) {
  return <Chip {...BADGES[userBadge(user)]} />;
}
