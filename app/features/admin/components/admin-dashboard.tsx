import '#app/styles/admin.css';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { bulkStateAtom } from '#app/features/admin/atoms.ts';
import { PollsTab } from '#app/features/admin/components/lists/polls-tab.tsx';
import { UsersTab } from '#app/features/admin/components/lists/users-tab.tsx';
import { OverviewTab } from '#app/features/admin/components/overview/overview-tab.tsx';
import { ReportsTab } from '#app/features/admin/components/reports/reports-tab.tsx';
import { useJobPolling } from '#app/features/admin/hooks/use-jobs.ts';
import { useUploadJob } from '#app/features/admin/hooks/use-upload-job.ts';
import { isUploading, resetBulkUpload } from '#app/features/admin/lib/bulk-actions.ts';
import { withQueries } from '#app/features/admin/lib/query-client.tsx';
import { reportCountQuery } from '#app/features/admin/lib/report-count.ts';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { SEARCH_MAX_LENGTH } from '#shared/explore/constants.ts';

const PANEL_ID = 'admin-panel';
const TABS = { overview: 'Overview', users: 'Users', polls: 'Polls', reports: 'Reports' };
const SEARCH_LABELS = { users: 'Search username or email', polls: 'Search question or maker' } as const;

function tabOf(query: URLSearchParams): keyof typeof TABS {
  const tab = query.get('tab');
  return tab === 'overview' || tab === 'polls' || tab === 'reports' ? tab : 'users';
}

export default withQueries(AdminDashboard);

/** The administrators' screen. Search texts are kept when the section changes. */
function AdminDashboard() {
  const [query, setQuery] = useSearchParams();
  const [searches, setSearches] = useState({ users: '', polls: '' });
  const tab = tabOf(query);
  useJobPolling();
  useUploadJob();
  useEffect(() => resetBulkUpload, []);
  useUnloadWarning();
  return (
    <div className="admin">
      <h1 className="sr-only">Admin</h1>
      <div className="flex flex-wrap items-center justify-between gap-2.5 pb-2.5 md:pt-2 md:pb-3">
        <SegmentedControl
          label="Sections"
          value={tab}
          segments={{ ...TABS, reports: <ReportsLabel /> }}
          onChange={(next) => setQuery(next === 'users' ? {} : { tab: next })}
          panelId={PANEL_ID}
          className="max-md:w-full"
        />
        {(tab === 'users' || tab === 'polls') && (
          <SearchField
            label={SEARCH_LABELS[tab]}
            value={searches[tab]}
            onChange={(text) => setSearches((before) => ({ ...before, [tab]: text }))}
          />
        )}
      </div>
      <OfflineNotice className="pb-2.5">You are offline. The admin tools only work online.</OfflineNotice>
      <div id={PANEL_ID} role="tabpanel" aria-label={TABS[tab]}>
        {tab === 'overview' && <OverviewTab />}
        {tab === 'users' && <UsersTab searchText={searches.users} />}
        {tab === 'polls' && <PollsTab searchText={searches.polls} />}
        {tab === 'reports' && <ReportsTab />}
      </div>
    </div>
  );
}

/** The label of the Reports section, with the number of polls that need a decision. */
function ReportsLabel() {
  const { data: count = 0 } = useQuery(reportCountQuery);
  return (
    <>
      {TABS.reports}
      {count > 0 && (
        <span className="figures min-w-5 rounded-full bg-neutral px-1.5 text-center font-bold text-neutral-content text-small">
          {count > 99 ? '99+' : count}
          <span className="sr-only"> open</span>
        </span>
      )}
    </>
  );
}

/** Makes the browser ask for confirmation before the page is closed during an upload, since the chosen images would be lost. */
function useUnloadWarning(): void {
  const isBusy = isUploading(useAtomValue(bulkStateAtom));
  useEffect(() => {
    if (!isBusy) return;
    const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', confirmLeaving);
    return () => window.removeEventListener('beforeunload', confirmLeaving);
  }, [isBusy]);
}

type Props = { label: string; value: string; onChange(value: string): void };

function SearchField({ label, value, onChange }: Props) {
  return (
    <search className="relative w-full md:w-80">
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={SEARCH_MAX_LENGTH}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        className="h-12 w-full rounded-control border border-edge bg-base-100 pr-3 pl-11 text-field outline-base-content placeholder:text-muted focus:outline-2 focus:outline-offset-[-1px]"
      />
      <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-muted">
        <Icon icon={Search} />
      </span>
    </search>
  );
}
