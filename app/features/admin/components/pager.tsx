import { ChevronLeft, ChevronRight } from 'lucide-react';
import { numberLabel, pageChoices, rangeLabel } from '#app/features/admin/lib/admin-words.ts';
import { useIsDesktop } from '#app/lib/media.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { AdminPagination } from '#shared/admin/schema.ts';

type Props = { label: string; pagination: AdminPagination; onTurn(page: number): void };

const BUTTON =
  'figures grid h-11 min-w-11 cursor-pointer place-items-center rounded-key px-2 font-bold text-body aria-disabled:cursor-default aria-disabled:opacity-40';

/** Where one is in a list, and the way to its other pages. */
export function Pager({ label, pagination, onTurn }: Props) {
  const { page, pages } = pagination;
  const isDesktop = useIsDesktop();
  if (pagination.total === 0) return null;
  return (
    <nav aria-label={label} className="flex flex-wrap items-center justify-between gap-x-3 px-1 pt-2">
      <p className="text-muted text-small">{rangeLabel(pagination)}</p>
      {pages > 1 && (
        <div className="flex items-center gap-1">
          <Step icon={ChevronLeft} label="Previous page" to={page - 1} pages={pages} onTurn={onTurn} />
          {isDesktop ? (
            <Numbers page={page} pages={pages} onTurn={onTurn} />
          ) : (
            <span className="figures px-1 font-bold text-body">
              {numberLabel(page)} / {numberLabel(pages)}
            </span>
          )}
          <Step icon={ChevronRight} label="Next page" to={page + 1} pages={pages} onTurn={onTurn} />
        </div>
      )}
    </nav>
  );
}

type StepProps = {
  icon: typeof ChevronLeft;
  label: string;
  to: number;
  pages: number;
  onTurn(page: number): void;
};

function Step({ icon, label, to, pages, onTurn }: StepProps) {
  // Not disabled at either end: it would lose the focus there.
  const isThere = to >= 1 && to <= pages;
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={!isThere}
      onClick={() => isThere && onTurn(to)}
      className={BUTTON}
    >
      <Icon of={icon} />
    </button>
  );
}

function Numbers({ page, pages, onTurn }: { page: number; pages: number; onTurn(page: number): void }) {
  return pageChoices(page, pages).map((each, index) =>
    each === null ? (
      <span key={index === 1 ? 'before' : 'after'} aria-hidden="true" className="px-1 text-muted">
        …
      </span>
    ) : (
      <button
        key={each}
        type="button"
        aria-label={`Page ${each}`}
        aria-current={each === page ? 'page' : undefined}
        onClick={() => onTurn(each)}
        className={`${BUTTON} ${each === page ? 'bg-neutral text-neutral-content' : ''}`}
      >
        {numberLabel(each)}
      </button>
    ),
  );
}
