import '#app/styles/admin.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { bulkPhaseAtom } from '#app/features/admin/atoms.ts';
import { PollsTab } from '#app/features/admin/components/polls/polls-tab.tsx';
import { UsersTab } from '#app/features/admin/components/users/users-tab.tsx';
import { useJobWatch } from '#app/features/admin/hooks/use-jobs.ts';
import { dropBulk } from '#app/features/admin/lib/bulk-actions.ts';
import { queryClient } from '#app/features/admin/lib/query-client.ts';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { Segments } from '#app/ui/segments.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SearchField } from './search-field.tsx';

type Tab = 'overview' | 'users' | 'polls';

const PANEL_ID = 'admin-panel';
const NAMES = { overview: 'Overview', users: 'Users', polls: 'Polls' } as const satisfies Record<Tab, string>;
const SEARCHES = { users: 'Search username or email', polls: 'Search question or maker' } as const;

function tabOf(query: URLSearchParams): Tab {
  const asked = query.get('tab');
  return asked === 'overview' || asked === 'polls' ? asked : 'users';
}

/** What administrators see and do. What was typed into a search stays while they look at another tab. */
export default function AdminDashboard() {
  return (
    <QueryClientProvider client={queryClient}>
      <Dashboard />
    </QueryClientProvider>
  );
}

function Dashboard() {
  const [query, setQuery] = useSearchParams();
  const [typed, setTyped] = useState({ users: '', polls: '' });
  const tab = tabOf(query);
  useJobWatch();
  useEffect(() => dropBulk, []);
  useLeaveQuestion();
  return (
    <div className="admin">
      <h1 className="sr-only">Admin</h1>
      <div className="flex flex-wrap items-center justify-between gap-2.5 pb-2.5 md:pt-2 md:pb-3">
        <Segments
          label="Sections"
          value={tab}
          segments={(['overview', 'users', 'polls'] as const).map((value) => ({
            value,
            label: NAMES[value],
          }))}
          onChange={(next) => setQuery(next === 'users' ? {} : { tab: next })}
          panelId={PANEL_ID}
          className="max-md:w-full"
        />
        {tab !== 'overview' && (
          <SearchField
            label={SEARCHES[tab]}
            value={typed[tab]}
            onChange={(text) => setTyped((before) => ({ ...before, [tab]: text }))}
          />
        )}
      </div>
      <OnlineOnly className="pb-2.5">
        There is no connection. The administrators’ tools work online only.
      </OnlineOnly>
      <div id={PANEL_ID} role="tabpanel" aria-label={NAMES[tab]}>
        {tab === 'overview' && <OverviewTab />}
        {tab === 'users' && <UsersTab typed={typed.users} />}
        {tab === 'polls' && <PollsTab typed={typed.polls} />}
      </div>
    </div>
  );
}

/** The browser asks before the page is left while chosen pictures are on their way: they would be lost. */
function useLeaveQuestion(): void {
  const { phase } = useAtomValue(bulkPhaseAtom);
  const isOnWay = phase === 'shrinking' || phase === 'uploading';
  useEffect(() => {
    if (!isOnWay) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOnWay]);
}
