import '#app/styles/admin.css';
import { ArrowLeft, ExternalLink, Shield } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';

const QUIET = 'btn h-auto min-h-12 gap-2 border-0 bg-base-300 text-body';

/** The ways out of the administrators' smallest screen. */
export default function MinimalAdmin() {
  return (
    <div className="admin">
      <section className="mx-auto grid max-w-80 gap-2.5 pt-16 text-center">
        <h1 className="text-title">Admin</h1>
        <p className="pb-2 text-field text-muted">Where would you like to go?</p>
        <Link to={paths.adminPanel.href()} className="key key-primary">
          <Icon of={Shield} />
          Open the full admin panel
        </Link>
        <a href={paths.diagnostic.href()} target="_blank" rel="noopener" className={QUIET}>
          <Icon of={ExternalLink} />
          Open diagnostic in a new tab
        </a>
        <Link to={paths.root.href()} className={QUIET}>
          <Icon of={ArrowLeft} />
          Return to the app
        </Link>
      </section>
    </div>
  );
}
