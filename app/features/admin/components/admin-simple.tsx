import '#app/styles/admin.css';
import { ArrowLeft, ExternalLink, Shield } from 'lucide-react';
import { paths } from '#app/paths.ts';
import { PrimaryLink, SecondaryLink } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';

/** The page at /admin-simple, which only has links. */
export default function AdminSimple() {
  return (
    <div className="admin">
      <section className="mx-auto grid max-w-80 gap-2.5 pt-16 text-center">
        <h1 className="text-title">Admin</h1>
        <p className="pb-2 text-field text-muted">Where would you like to go?</p>
        <PrimaryLink to={paths.adminPanel.href()}>
          <Icon icon={Shield} />
          Open the full admin panel
        </PrimaryLink>
        <SecondaryLink to={paths.diagnostic.href()} target="_blank" rel="noopener" className="min-h-12">
          <Icon icon={ExternalLink} />
          Open diagnostic in a new tab
        </SecondaryLink>
        <SecondaryLink to={paths.root.href()} className="min-h-12">
          <Icon icon={ArrowLeft} />
          Return to the app
        </SecondaryLink>
      </section>
    </div>
  );
}
