import { Link } from 'react-router-dom';
import { usePageTitle } from '#app/lib/page-title.ts';
import { paths } from '#app/paths.ts';
import { ACCESS_DENIED, NOT_ADMIN } from '#shared/accounts/constants.ts';
import { AdminGate, checked } from './admin-gate.tsx';

const load = () => checked(() => import('#app/features/admin/components/minimal-admin.tsx'));

/** The administrators' screen with nothing on it but the ways out. */
export default function AdminSimpleRoute() {
  usePageTitle('Admin');
  return <AdminGate load={load} denied={<NotForYou />} />;
}

function NotForYou() {
  return (
    <section className="mx-auto grid max-w-80 gap-3 pt-20 text-center">
      <h1 className="text-title">{ACCESS_DENIED}</h1>
      <p className="pb-2 text-field text-muted">{NOT_ADMIN}</p>
      <Link to={paths.root.href()} className="key key-primary">
        Return to the app
      </Link>
    </section>
  );
}
