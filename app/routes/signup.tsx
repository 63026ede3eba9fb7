import { Navigate, useSearchParams } from 'react-router-dom';
import { paths } from '#app/paths.ts';

/** The target of older invitations: the Sign Up tab, with the code that came along. */
export function SignupRoute() {
  const [query] = useSearchParams();
  return <Navigate to={paths.auth.href({ tab: 'signup', ref: query.get('ref') ?? undefined })} replace />;
}
