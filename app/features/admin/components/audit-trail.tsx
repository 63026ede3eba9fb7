import { Link } from 'react-router-dom';
import { useList } from '#app/features/admin/hooks/use-list.ts';
import { AUDIT_WORDS, momentLabel, shortTarget } from '#app/features/admin/lib/admin-words.ts';
import { fetchAudit } from '#app/features/admin/queries.ts';
import { paths } from '#app/paths.ts';
import { Avatar } from '#app/ui/avatar.tsx';
import type { AuditEntry } from '#shared/admin/schema.ts';
import { ListFailure } from './list-state.tsx';
import { Pager } from './pager.tsx';

/** Who did what, and when; the newest first. */
export function AuditTrail() {
  const list = useList('audit', fetchAudit);
  return (
    <section aria-labelledby="audit-trail" className="min-w-0 rounded-card bg-base-100 p-4 shadow-card">
      <h2 id="audit-trail" className="pb-2 text-question">
        What was done
      </h2>
      {list.phase === 'error' && <ListFailure onRetry={list.reload}>Failed to fetch the trail</ListFailure>}
      {list.phase === 'loading' && list.data === null && <p className="text-muted text-small">Loading…</p>}
      {list.phase !== 'error' && list.data?.pagination.total === 0 && (
        <p className="text-muted text-small">Nothing yet.</p>
      )}
      {list.phase !== 'error' && list.data !== null && (
        <>
          <ul aria-busy={list.phase === 'loading'}>
            {list.data.entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
          <Pager label="Pages of what was done" pagination={list.data.pagination} onTurn={list.turnTo} />
        </>
      )}
    </section>
  );
}

const POLL = /^poll (.+)$/;

function Target({ target, name }: { target: string; name: string }) {
  const pollId = POLL.exec(target)?.[1];
  if (pollId === undefined) return `${name} · `;
  return (
    <>
      <Link to={paths.poll.href(pollId)} className="underline">
        {name}
      </Link>{' '}
      ·{' '}
    </>
  );
}

function Entry({ entry: { admin, action, target, targetName, createdAt } }: { entry: AuditEntry }) {
  const name = admin?.username ?? 'Somebody who is gone';
  return (
    <li className="flex items-center gap-3 border-base-300 border-t py-2 first:border-t-0">
      <Avatar name={name} size="medium" />
      <div className="wrap-anywhere min-w-0 text-body">
        <p>
          <span className="font-semibold">{name}</span> {AUDIT_WORDS[action]}
        </p>
        <p className="text-muted text-small">
          {targetName !== null && <Target target={target} name={targetName} />}
          <span title={target}>{shortTarget(target)}</span> ·{' '}
          <time dateTime={createdAt}>{momentLabel(createdAt)}</time>
        </p>
      </div>
    </li>
  );
}
