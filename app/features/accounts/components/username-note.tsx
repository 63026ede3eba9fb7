import { CircleCheck, CircleX } from 'lucide-react';
import type { Availability } from '#app/features/accounts/hooks/use-username-check.ts';
import { Icon } from '#app/ui/icon.tsx';
import { Turning } from '#app/ui/spinner.tsx';

/** Whether a username is free, beneath its field. */
export function UsernameNote({ availability, username }: { availability: Availability; username: string }) {
  const line = 'flex items-center gap-1.5 font-semibold';
  switch (availability) {
    case 'idle':
      return null;
    case 'checking':
      return (
        <span className="flex items-center gap-1.5">
          <Turning size={16} />
          Checking…
        </span>
      );
    case 'available':
      return (
        <span className={`${line} text-success`}>
          <Icon of={CircleCheck} size={16} />
          {username} is available
        </span>
      );
    case 'unavailable':
      return (
        <span className={`${line} text-error`}>
          <Icon of={CircleX} size={16} />
          {username} is taken
        </span>
      );
    case 'unknown':
      return <span>Error checking username availability</span>;
  }
}
