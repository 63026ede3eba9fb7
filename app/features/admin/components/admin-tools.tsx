import { ChevronRight, Shield } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';
import { Panel } from '#app/ui/panel.tsx';

/** What only administrators have in their settings. */
export function AdminTools() {
  return (
    <Panel title="Admin Tools">
      <Link to={paths.admin.href()} className="flex min-h-12 items-center gap-3 rounded-key font-semibold">
        <Icon of={Shield} />
        <span className="flex-1">Admin dashboard</span>
        <Icon of={ChevronRight} size={16} />
      </Link>
    </Panel>
  );
}
