import { Ban, Check, Mail, Shield } from 'lucide-react';
import type { ReactNode } from 'react';
import { CELL, DataTable, Row } from '#app/features/admin/components/data-table.tsx';
import { dateLabel, idLabel, numberLabel } from '#app/features/admin/lib/labels.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { Chip } from '#app/ui/chip.tsx';
import type { User } from '#shared/accounts/schema.ts';
import { type UserBadge, userBadge } from '#shared/admin/rules.ts';

type Props = { users: readonly User[]; renderMenu(user: User): ReactNode };

const COLUMNS = [
  { name: 'User', className: 'w-[26%]' },
  { name: 'Email' },
  { name: 'Points', className: 'w-[9%] text-right' },
  { name: 'Status', className: 'w-36 lg:w-40' },
  { name: 'Joined', className: 'w-20 lg:w-24' },
];

export function UserTable({ users, renderMenu }: Props) {
  return (
    <DataTable caption="Users" columns={COLUMNS}>
      {users.map((user) => (
        <Row key={user.id}>
          <th scope="row" className={`${CELL} text-left`}>
            <span className="flex items-center gap-3">
              <Avatar name={user.username} size="medium" />
              <span className="wrap-anywhere min-w-0">
                <span className="font-bold font-display text-label">{user.username}</span>{' '}
                <span className="figures text-muted text-small">{idLabel(user)}</span>
              </span>
            </span>
          </th>
          <td className={`${CELL} wrap-anywhere text-muted`}>{user.email}</td>
          <td className={`${CELL} figures text-right font-bold`}>{numberLabel(user.points)}</td>
          <td className={CELL}>
            <BadgeChip user={user} />
          </td>
          <td className={`${CELL} whitespace-nowrap text-muted`}>{dateLabel(user.createdAt)}</td>
          <td className={`${CELL} pl-0`}>{renderMenu(user)}</td>
        </Row>
      ))}
    </DataTable>
  );
}

/** The users on a phone. */
export function UserCards({ users, renderMenu }: Props) {
  return (
    <ul aria-label="Users" className="grid gap-2.5">
      {users.map((user) => (
        <li key={user.id} className="card flex gap-3 p-3 pr-1.5">
          <Avatar name={user.username} size="large" />
          <div className="min-w-0 flex-1">
            <div className="flex items-start gap-2">
              <div className="min-w-0 flex-1">
                <h2 className="wrap-anywhere text-label">
                  {user.username}{' '}
                  <span className="figures font-normal text-muted text-small">{idLabel(user)}</span>
                </h2>
                <p className="wrap-anywhere text-muted text-small">{user.email}</p>
              </div>
              <div className="-mt-1">{renderMenu(user)}</div>
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
      ))}
    </ul>
  );
}

const BADGES = {
  admin: { icon: Shield, tone: 'strong', label: 'Admin' },
  suspended: { icon: Ban, tone: 'error', label: 'Suspended' },
  active: { icon: Check, tone: 'quiet', label: 'Active' },
  unverified: { icon: Mail, tone: 'outline', label: 'Unverified' },
} as const satisfies Record<UserBadge, unknown>;

function BadgeChip({ user }: { user: User }) {
  const { label, ...look } = BADGES[userBadge(user)];
  return <Chip {...look}>{label}</Chip>;
}
