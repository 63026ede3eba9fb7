import { CircleCheck, CircleX, Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { Availability } from '#app/features/accounts/hooks/use-username-check.ts';
import { IconButton } from '#app/ui/button.tsx';
import { Field } from '#app/ui/forms/field.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';

type FieldProps = Omit<ComponentProps<typeof Field>, 'label'>;
type UsernameProps = FieldProps & { availability: Availability; username: string };

export function UsernameField({ availability, username, ...rest }: UsernameProps) {
  return (
    <LoginField
      {...rest}
      label="Username"
      isInvalid={availability === 'unavailable'}
      hint={<UsernameAvailability availability={availability} username={username} />}
    />
  );
}

function UsernameAvailability({ availability, username }: Pick<UsernameProps, 'availability' | 'username'>) {
  if (availability === 'idle') return null;
  if (availability === 'unknown') return 'Error checking username availability';
  if (availability === 'checking') {
    return (
      <span className="flex items-center gap-1.5">
        <SpinnerIcon size={16} />
        Checking…
      </span>
    );
  }
  const isFree = availability === 'available';
  return (
    <span className={`flex items-center gap-1.5 font-semibold ${isFree ? 'text-success' : 'text-error'}`}>
      <Icon icon={isFree ? CircleCheck : CircleX} size={16} />
      {username} is {isFree ? 'available' : 'taken'}
    </span>
  );
}

/** A field for a username, or for either a username or an email. */
export function LoginField(props: ComponentProps<typeof Field>) {
  return <Field autoComplete="username" {...props} autoCapitalize="none" spellCheck={false} />;
}

export function EmailField(props: FieldProps) {
  return (
    <Field
      {...props}
      label="Email"
      type="email"
      inputMode="email"
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
    />
  );
}

type PasswordProps = Omit<FieldProps, 'type' | 'trailing'> & { label?: string };

export function PasswordField({ label = 'Password', ...rest }: PasswordProps) {
  const [isVisible, setVisible] = useState(false);
  return (
    <Field
      {...rest}
      label={label}
      type={isVisible ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      trailing={
        <IconButton
          icon={isVisible ? EyeOff : Eye}
          label={`${isVisible ? 'Hide' : 'Show'} ${label.toLowerCase()}`}
          onClick={() => setVisible(!isVisible)}
        />
      }
    />
  );
}
