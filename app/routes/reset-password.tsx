import { useSearchParams } from 'react-router-dom';
import { AuthSheet } from '#app/features/auth/components/auth-sheet.tsx';
import { ResetPassword } from '#app/features/auth/components/reset-password.tsx';
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
