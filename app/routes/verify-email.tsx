import { useSearchParams } from 'react-router-dom';
import { AuthSheet } from '#app/features/accounts/components/auth-sheet.tsx';
import { VerifyEmail } from '#app/features/accounts/components/mail/verify-email.tsx';
import { usePageTitle } from '#app/lib/page-title.ts';

export default function VerifyEmailRoute() {
  const token = useSearchParams()[0].get('token') ?? '';
  usePageTitle('Verify email');
  return (
    <AuthSheet>
      <VerifyEmail key={token} token={token} />
    </AuthSheet>
  );
}
