import { useSearchParams } from 'react-router-dom';
import { AuthSheet } from '#app/features/accounts/components/auth-sheet.tsx';
import { VerifyEmail } from '#app/features/accounts/components/verify-email.tsx';
import { usePageTitle } from '#app/lib/page-title.ts';

export default function VerifyEmailRoute() {
  const [query] = useSearchParams();
  usePageTitle('Verify email');
  return (
    <AuthSheet>
      <VerifyEmail token={query.get('token') ?? ''} />
    </AuthSheet>
  );
}
