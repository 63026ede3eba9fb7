import { CircleCheck, CircleX } from 'lucide-react';
import type { Availability } from '#app/features/accounts/hooks/use-username-check.ts';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';

export function UsernameAvailability({
  availability,
  username,
}: {
  availability: Availability;
  username: string;
}) {
  const className = 'flex items-center gap-1.5';
  switch (availability) {
    case 'idle':
      return null;
    case 'checking':
      return (
        <span className={className}>
          <SpinnerIcon size={16} />
          Checking…
        </span>
      );
    case 'available':
      return (
        <span className={`${className} font-semibold text-success`}>
          <Icon icon={CircleCheck} size={16} />
          {username} is available
        </span>
      );
    case 'unavailable':
      return (
        <span className={`${className} font-semibold text-error`}>
          <Icon icon={CircleX} size={16} />
          {username} is taken
        </span>
      );
    case 'unknown':
      return <span>Error checking username availability</span>;
  }
}
