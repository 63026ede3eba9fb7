import { LogOut, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { requestLogout } from '#app/features/accounts/lib/log-out.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { SecondaryButton, SecondaryLink } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { User } from '#shared/accounts/schema.ts';

export function ProfileCard({ user, badge }: { user: User; badge: ReactNode }) {
  return (
    <section className="grid gap-4 pt-2 md:flex md:items-center md:pt-4">
      <div className="flex min-w-0 flex-1 items-center gap-4">
        <Avatar name={user.username} size="huge" />
        <div className="grid min-w-0 gap-1">
          <h1 className="text-title leading-[1.75rem]">{user.username}</h1>
          <p className="truncate text-body text-muted">{user.email}</p>
          {badge}
        </div>
      </div>
      <div className="grid grid-cols-2 gap-2">
        <SecondaryLink to={paths.settings.href()} className="min-h-12 py-1">
          <Icon icon={Pencil} /> Edit Profile
        </SecondaryLink>
        <SecondaryButton className="min-h-12" onClick={() => void requestLogout()}>
          <Icon icon={LogOut} /> Logout
        </SecondaryButton>
      </div>
    </section>
  );
}
