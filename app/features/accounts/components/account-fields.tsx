import { CircleCheck, CircleX, Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { UsernameCheck } from '#app/features/accounts/hooks/use-username-check.ts';
import { IconButton } from '#app/ui/button.tsx';
import { Field } from '#app/ui/forms/field.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { USERNAME_MIN_LENGTH } from '#shared/accounts/constants.ts';

type FieldProps = Omit<ComponentProps<typeof Field>, 'label'>;
type UsernameProps = FieldProps & { value: string; check: UsernameCheck | null };

export function UsernameField({ check, ...rest }: UsernameProps) {
  const isShort = rest.value.trim().length < USERNAME_MIN_LENGTH;
  return (
    <LoginField
      {...rest}
      label="Username"
      isInvalid={check?.availability === 'unavailable'}
      hint={
        check === null ? isShort && `min. ${USERNAME_MIN_LENGTH} characters` : <CheckNote check={check} />
      }
    />
  );
}

const CHECK_STYLES = {
  checking: { icon: <SpinnerIcon size={16} />, className: '' },
  available: { icon: <Icon icon={CircleCheck} size={16} />, className: 'font-semibold text-success' },
  unavailable: { icon: <Icon icon={CircleX} size={16} />, className: 'font-semibold text-error' },
  unknown: { icon: null, className: '' },
};

function CheckNote({ check }: { check: UsernameCheck }) {
  const { icon, className } = CHECK_STYLES[check.availability];
  return (
    <span className={`flex items-center gap-1.5 ${className}`}>
      {icon}
      {check.message}
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
