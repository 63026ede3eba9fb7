import { ReferPanel } from '#app/features/referrals/components/refer-panel.tsx';
import { useUser } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';

export default function ReferralsRoute() {
  usePageTitle('Refer & Earn');
  const user = useUser();
  return (
    <>
      <h1 className="sr-only">Refer & Earn</h1>
      {user !== null && <ReferPanel code={user.referralCode} screen="referrals" />}
    </>
  );
}
