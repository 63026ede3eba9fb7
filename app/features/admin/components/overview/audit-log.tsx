import { Link } from 'react-router-dom';
import { ListFailure } from '#app/features/admin/components/lists/list-state.tsx';
import { Pager } from '#app/features/admin/components/lists/pager.tsx';
import { useList } from '#app/features/admin/hooks/use-list.ts';
import { AUDIT_ACTION_LABELS, shortTarget } from '#app/features/admin/lib/labels.ts';
import { fetchAudit } from '#app/features/admin/queries.ts';
import { dateTimeLabel } from '#app/lib/time.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import type { AuditEntry } from '#shared/admin/schema.ts';

export function AuditLog() {
  const list = useList('audit', fetchAudit);
  return (
    <section aria-labelledby="audit-log" className="min-w-0 card p-4">
      <h2 id="audit-log" className="pb-2 text-question">
        Audit log
      </h2>
      {list.phase === 'error' && (
        <ListFailure onRetry={list.reload}>Failed to fetch the audit log</ListFailure>
      )}
      {list.phase === 'loading' && list.pagination === null && (
        <p className="text-muted text-small">Loading…</p>
      )}
      {list.phase !== 'error' && list.pagination?.total === 0 && (
        <p className="text-muted text-small">Nothing yet.</p>
      )}
      {list.phase !== 'error' && list.pagination !== null && (
        <>
          <ul aria-busy={list.phase === 'loading'}>
            {list.items.map((entry) => (
              <AuditRow key={entry.id} entry={entry} />
            ))}
          </ul>
          <Pager label="Pages of the audit log" pagination={list.pagination} onPageChange={list.goToPage} />
        </>
      )}
    </section>
  );
}

const POLL_TARGET = /^poll (.+)$/;

function Target({ entry: { target, isTargetRemoved }, name }: { entry: AuditEntry; name: string }) {
  const pollId = POLL_TARGET.exec(target)?.[1];
  if (pollId === undefined || isTargetRemoved === true) return `${name} · `;
  return (
    <>
      <Link to={paths.poll.href(pollId)} target="_blank" rel="noopener" className="underline">
        {name}
      </Link>{' '}
      ·{' '}
    </>
  );
}

function AuditRow({ entry }: { entry: AuditEntry }) {
  const { admin, action, detail, target, targetName, createdAt } = entry;
  const name = admin?.username ?? 'Deleted user';
  return (
    <li className="flex items-center gap-3 border-base-300 border-t py-2 first:border-t-0">
      <Avatar name={name} size="medium" />
      <div className="wrap-anywhere min-w-0 text-body">
        <p>
          <span className="font-semibold">{name}</span> {AUDIT_ACTION_LABELS[detail ?? action]}
        </p>
        <p className="text-muted text-small">
          {targetName !== null && <Target entry={entry} name={targetName} />}
          <span title={target}>{shortTarget(target)}</span> ·{' '}
          <time dateTime={createdAt}>{dateTimeLabel(createdAt)}</time>
        </p>
      </div>
    </li>
  );
}
