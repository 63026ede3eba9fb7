import type { ReactNode } from 'react';
import { dateLabel, idLabel, numberLabel } from '#app/features/admin/lib/admin-words.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import type { User } from '#shared/accounts/schema.ts';
import { UserChip } from './user-chip.tsx';

type Props = { users: readonly User[]; menu(user: User): ReactNode };

/** The table of users on a phone. */
export function UserCards({ users, menu }: Props) {
  return (
    <ul aria-label="Users" className="grid gap-2.5">
      {users.map((user) => (
        <li key={user.id} className="flex gap-3 rounded-card bg-base-100 p-3 pr-1.5 shadow-card">
          <Avatar name={user.username} size="large" />
          <div className="min-w-0 flex-1">
            <div className="flex items-start gap-2">
              <div className="min-w-0 flex-1">
                <h2 className="wrap-anywhere text-key">
                  {user.username}{' '}
                  <span className="figures font-normal text-muted text-small">{idLabel(user)}</span>
                </h2>
                <p className="wrap-anywhere text-muted text-small">{user.email}</p>
              </div>
              <div className="-mt-1">{menu(user)}</div>
            </div>
            <div className="flex flex-wrap items-center justify-between gap-2 pt-0.5 pr-2.5">
              <UserChip user={user} />
              <p className="text-muted text-small">
                <span className="figures font-bold text-base-content">{numberLabel(user.points)}</span>{' '}
                {user.points === 1 ? 'point' : 'points'} · {dateLabel(user.createdAt)}
              </p>
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}
