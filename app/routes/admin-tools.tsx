import { ChevronRight, Shield } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '#app/paths.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/field.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { OnlinePart } from '#app/ui/online-part.tsx';
import { Panel } from '#app/ui/panel.tsx';

const load = async () => (await import('#app/features/admin/components/jobs/sample-tools.tsx')).default;

/** What only administrators have in their settings. */
export function AdminTools() {
  return (
    <Panel title="Admin Tools">
      <Link to={paths.admin.href()} className="flex min-h-12 items-center gap-3 rounded-key font-semibold">
        <Icon of={Shield} />
        <span className="flex-1">Admin dashboard</span>
        <Icon of={ChevronRight} size={16} />
      </Link>
      <OnlinePart
        load={load}
        waiting={null}
        offline={<OnlineOnly>There is no connection. Generating polls needs one.</OnlineOnly>}
        failed={(_, tryAgain) => (
          <FormError>
            The generator could not be loaded.
            <QuietButton onClick={tryAgain}>Try Again</QuietButton>
          </FormError>
        )}
      />
    </Panel>
  );
}
