import type { ReactNode } from 'react';
import { dateLabel, idLabel, numberLabel } from '#app/features/admin/lib/admin-words.ts';
import { CELL, HEAD, ROW, TABLE } from '#app/features/admin/lib/table-look.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import type { User } from '#shared/accounts/schema.ts';
import { UserChip } from './user-chip.tsx';

type Props = { users: readonly User[]; menu(user: User): ReactNode };

export function UserTable({ users, menu }: Props) {
  return (
    <table className={TABLE}>
      <caption className="sr-only">Users</caption>
      <thead>
        <tr>
          <th scope="col" className={`${HEAD} w-[26%]`}>
            User
          </th>
          <th scope="col" className={HEAD}>
            Email
          </th>
          <th scope="col" className={`${HEAD} w-[9%] text-right`}>
            Points
          </th>
          <th scope="col" className={`${HEAD} w-36 lg:w-40`}>
            Status
          </th>
          <th scope="col" className={`${HEAD} w-20 lg:w-24`}>
            Joined
          </th>
          <th scope="col" className={`${HEAD} w-16`}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id} className={ROW}>
            <th scope="row" className={`${CELL} text-left`}>
              <span className="flex items-center gap-3">
                <Avatar name={user.username} size="medium" />
                <span className="wrap-anywhere min-w-0">
                  <span className="font-bold font-display text-key">{user.username}</span>{' '}
                  <span className="figures text-muted text-small">{idLabel(user)}</span>
                </span>
              </span>
            </th>
            <td className={`${CELL} wrap-anywhere text-muted`}>{user.email}</td>
            <td className={`${CELL} figures text-right font-bold`}>{numberLabel(user.points)}</td>
            <td className={CELL}>
              <UserChip user={user} />
            </td>
            <td className={`${CELL} whitespace-nowrap text-muted`}>{dateLabel(user.createdAt)}</td>
            <td className={`${CELL} pl-0`}>{menu(user)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
