import { useSearchParams } from 'react-router-dom';
import { AuthLayout } from '#app/features/accounts/components/auth-layout.tsx';
import { ResetPassword } from '#app/features/accounts/components/mail/reset-password.tsx';
import { UndoChange } from '#app/features/accounts/components/mail/undo-change.tsx';
import { Unsubscribe } from '#app/features/accounts/components/mail/unsubscribe.tsx';
import { VerifyEmail } from '#app/features/accounts/components/mail/verify-email.tsx';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';

function useToken(): string {
  const [query] = useSearchParams();
  return query.get('token') ?? '';
}

export function VerifyEmailRoute() {
  const token = useToken();
  usePageTitle('Verify email');
  return (
    <AuthLayout>
      <VerifyEmail key={token} token={token} />
    </AuthLayout>
  );
}

export function ResetPasswordRoute() {
  const token = useToken();
  const [query] = useSearchParams();
  const isFirstPassword = query.has('first');
  usePageTitle(isFirstPassword ? 'Set password' : 'Reset password');
  return (
    <AuthLayout>
      <ResetPassword key={token} token={token} isFirstPassword={isFirstPassword} />
    </AuthLayout>
  );
}

export function UndoEmailChangeRoute() {
  const token = useToken();
  usePageTitle('Undo email change');
  return (
    <AuthLayout>
      <UndoChange key={token} token={token} change="email" />
    </AuthLayout>
  );
}

export function UndoPasskeysRoute() {
  const token = useToken();
  usePageTitle('Undo passkey changes');
  return (
    <AuthLayout>
      <UndoChange key={token} token={token} change="passkeys" />
    </AuthLayout>
  );
}

export function UnsubscribeRoute() {
  const token = useToken();
  usePageTitle('Unsubscribe');
  return (
    <AuthLayout>
      <Unsubscribe key={token} token={token} />
    </AuthLayout>
  );
}
