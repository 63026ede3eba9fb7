import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { focusMain } from '#app/lib/focus-main.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { questionOf } from './outbox-words.ts';

type Props = { item: OutboxItem; pair: ReactNode; status: ReactNode; end?: ReactNode; children?: ReactNode };

/** A change with the pictures it is about; what can be done about it stands below or at the end. */
export function OutboxRow({ item, pair, status, end, children }: Props) {
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const own = row.current;
    // Discarded or sent, it takes the key that has the focus with it.
    return () => {
      if (own?.contains(document.activeElement)) focusMain();
    };
  }, []);
  return (
    <li ref={row} className="relative rounded-card bg-base-100 p-2.5 shadow-card">
      <div className="flex items-start gap-3">
        <div className="w-[6.25rem] shrink-0">{pair}</div>
        <div className="min-w-0 flex-1">
          <h3 className={`line-clamp-2 wrap-anywhere text-key text-wrap ${end === undefined ? '' : 'pr-9'}`}>
            {questionOf(item)}
          </h3>
          <p className="mt-1 flex min-h-6 items-center gap-2 text-body text-muted">{status}</p>
        </div>
      </div>
      <div className="absolute top-1 right-1 empty:hidden">{end}</div>
      {children}
    </li>
  );
}
