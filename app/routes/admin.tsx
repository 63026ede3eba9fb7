import { Navigate } from 'react-router-dom';
import { usePageTitle } from '#app/lib/page-title.ts';
import { paths } from '#app/paths.ts';
import { AdminGate, checked } from './admin-gate.tsx';

const load = () => checked(() => import('#app/features/admin/components/admin-dashboard.tsx'));

export default function AdminRoute() {
  usePageTitle('Admin');
  return <AdminGate load={load} denied={<Navigate to={paths.root.href()} replace />} />;
}
