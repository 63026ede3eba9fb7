import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { focusMain } from '#app/lib/focus-main.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { questionOf } from './outbox-messages.ts';

type Props = {
  item: OutboxItem;
  thumbnail: ReactNode;
  status: ReactNode;
  cornerAction?: ReactNode;
  children?: ReactNode;
};

/** A change with its poll's images and question; `children` are its actions. */
export function OutboxRow({ item, thumbnail, status, cornerAction, children }: Props) {
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const own = row.current;
    // A row that is discarded or sent may contain the focus.
    return () => {
      if (own?.contains(document.activeElement)) focusMain();
    };
  }, []);
  return (
    <li ref={row} className="relative card p-2.5">
      <div className="flex items-start gap-3">
        <div className="w-[6.25rem] shrink-0">{thumbnail}</div>
        <div className="min-w-0 flex-1">
          <h3
            className={`line-clamp-2 wrap-anywhere text-label text-wrap ${cornerAction === undefined ? '' : 'pr-9'}`}
          >
            {questionOf(item)}
          </h3>
          <p className="mt-1 flex min-h-6 items-center gap-2 text-body text-muted">{status}</p>
        </div>
      </div>
      <div className="absolute top-1 right-1 empty:hidden">{cornerAction}</div>
      {children}
    </li>
  );
}
