import { useSearchParams } from 'react-router-dom';
import { AuthSheet } from '#app/features/accounts/components/auth-sheet.tsx';
import { ResetPassword } from '#app/features/accounts/components/mail/reset-password.tsx';
import { usePageTitle } from '#app/lib/page-title.ts';

export default function ResetPasswordRoute() {
  const [query] = useSearchParams();
  usePageTitle('Reset password');
  return (
    <AuthSheet>
      <ResetPassword token={query.get('token') ?? ''} />
    </AuthSheet>
  );
}
