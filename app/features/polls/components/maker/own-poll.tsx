import { ChevronRight } from 'lucide-react';
import { useReachable } from '#app/lib/engine/online.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { Poll } from '#shared/polls/schema.ts';
import { type MakerAction, useMakerActions } from './maker-actions.tsx';
import { VotesOverTime } from './votes-chart.tsx';

/** The part below a poll that only its maker sees: the votes over time and the maker's actions. */
export default function OwnPoll({ poll, nowMs }: { poll: Poll; nowMs: number }) {
  const user = useUser();
  const isReachable = useReachable();
  const { actions, dialogs } = useMakerActions(poll);
  if (user === null) return null;
  return (
    <>
      <VotesOverTime poll={poll} userId={user.id} nowMs={nowMs} />
      <ul className="mt-4 card p-1.5">
        {actions.map((action) => (
          <li key={action.label}>
            <ActionRow action={action} isDisabled={action.needsServer === true && !isReachable} />
          </li>
        ))}
      </ul>
      {dialogs}
    </>
  );
}

const ROW_CLASS =
  'flex min-h-[62px] w-full cursor-pointer items-center gap-3 rounded-image px-2 py-2 text-left enabled:hover:bg-base-300 [a&]:hover:bg-base-300 disabled:cursor-default aria-disabled:cursor-default aria-disabled:text-muted';

function ActionRow({ action, isDisabled }: { action: MakerAction; isDisabled: boolean }) {
  const note = action.isBusy ? 'One moment…' : action.note;
  const content = (
    <>
      <span className="grid size-11 shrink-0 place-items-center rounded-[14px] bg-base-300">
        <Icon icon={action.icon} />
      </span>
      <span className="min-w-0 flex-1">
        <span className={`block font-bold text-body ${action.isDestructive ? 'text-error' : ''}`}>
          {action.label}
        </span>
        <span className="block text-muted text-small">{isDisabled ? 'Needs a connection' : note}</span>
      </span>
      <Icon icon={ChevronRight} className="text-muted" />
    </>
  );
  if ('href' in action && !isDisabled) {
    return (
      <a href={action.href} download className={ROW_CLASS}>
        {content}
      </a>
    );
  }
  const onClick = 'onSelect' in action ? action.onSelect : undefined;
  return (
    <button
      type="button"
      disabled={isDisabled}
      aria-disabled={action.isBusy}
      className={ROW_CLASS}
      onClick={onClick}
    >
      {content}
    </button>
  );
}
