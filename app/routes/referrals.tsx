import { ReferPanel } from '#app/features/referrals/components/refer-panel.tsx';
import { useSession } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/page-title.ts';

export default function ReferralsRoute() {
  usePageTitle('Refer & Earn');
  const session = useSession();
  return (
    <>
      <h1 className="sr-only">Refer & Earn</h1>
      {session.status === 'user' && <ReferPanel code={session.user.referralCode} place="referrals" />}
    </>
  );
}
