import { ChevronLeft, ChevronRight } from 'lucide-react';
import { numberLabel, pageChoices, rangeLabel } from '#app/features/admin/lib/labels.ts';
import { useIsDesktop } from '#app/lib/media.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { AdminPagination } from '#shared/admin/schema.ts';

type Props = { label: string; pagination: AdminPagination; onPageChange(page: number): void };

const BUTTON =
  'figures grid h-11 min-w-11 cursor-pointer place-items-center rounded-control px-2 font-bold text-body aria-disabled:cursor-default aria-disabled:opacity-40';

/** Shows the range of a paged list and leads to its other pages. */
export function Pager({ label, pagination, onPageChange }: Props) {
  const { page, pages } = pagination;
  const isDesktop = useIsDesktop();
  if (pagination.total === 0) return null;
  return (
    <nav aria-label={label} className="flex flex-wrap items-center justify-between gap-x-3 px-1 pt-2">
      <p className="text-muted text-small">{rangeLabel(pagination)}</p>
      {pages > 1 && (
        <div className="flex items-center gap-1">
          <StepButton
            icon={ChevronLeft}
            label="Previous page"
            to={page - 1}
            pages={pages}
            onPageChange={onPageChange}
          />
          {isDesktop ? (
            <PageNumbers page={page} pages={pages} onPageChange={onPageChange} />
          ) : (
            <span className="figures px-1 font-bold text-body">
              {numberLabel(page)} / {numberLabel(pages)}
            </span>
          )}
          <StepButton
            icon={ChevronRight}
            label="Next page"
            to={page + 1}
            pages={pages}
            onPageChange={onPageChange}
          />
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
  onPageChange(page: number): void;
};

function StepButton({ icon, label, to, pages, onPageChange }: StepProps) {
  // `aria-disabled` at either end, because a disabled button would lose the focus.
  const isAvailable = to >= 1 && to <= pages;
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={!isAvailable}
      onClick={() => isAvailable && onPageChange(to)}
      className={BUTTON}
    >
      <Icon icon={icon} />
    </button>
  );
}

function PageNumbers({
  page,
  pages,
  onPageChange,
}: {
  page: number;
  pages: number;
  onPageChange(page: number): void;
}) {
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
        onClick={() => onPageChange(each)}
        className={`${BUTTON} ${each === page ? 'bg-neutral text-neutral-content' : ''}`}
      >
        {numberLabel(each)}
      </button>
    ),
  );
}
