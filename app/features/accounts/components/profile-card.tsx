import { LogOut, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { askToLogOut } from '#app/features/accounts/actions.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import { QuietButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { User } from '#shared/accounts/schema.ts';

/** Who is logged in, with a badge below the name, with the way to change it, and the way out. */
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
        <Link
          to={paths.settings.href()}
          className="btn h-auto min-h-12 py-1 gap-2 border-0 bg-base-300 text-body"
        >
          <Icon of={Pencil} /> Edit Profile
        </Link>
        <QuietButton className="min-h-12" onClick={() => void askToLogOut()}>
          <Icon of={LogOut} /> Logout
        </QuietButton>
      </div>
    </section>
  );
}
