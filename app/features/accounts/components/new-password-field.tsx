import { type ComponentProps, lazy, useDeferredValue } from 'react';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { PASSWORD_MIN_LENGTH } from '#shared/accounts/constants.ts';
import { PasswordField } from './account-fields.tsx';

const PasswordMeter = lazy(() => import('./password-meter.tsx'));

const HINT = `min. ${PASSWORD_MIN_LENGTH} characters`;

type Props = ComponentProps<typeof PasswordField> & {
  value: string;
  /** The user, whose name and email would make the password easy to guess; null if unknown. */
  account: { username: string; email: string } | null;
};

/** A field for a new password, with a meter of its strength. */
export function NewPasswordField({ account, ...rest }: Props) {
  const password = useDeferredValue(rest.value);
  return (
    <PasswordField
      {...rest}
      autoComplete="new-password"
      hint={
        // Reserves the height of the meter, which is loaded later.
        <span className="block min-h-[calc(1lh+0.75rem)]">
          {password === '' ? (
            HINT
          ) : (
            <LazyBoundary fallback={HINT} errorFallback={HINT}>
              <PasswordMeter password={password} account={account} />
            </LazyBoundary>
          )}
        </span>
      }
    />
  );
}
