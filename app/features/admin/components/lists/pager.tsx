import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { numberLabel, pageChoices, rangeLabel } from '#app/features/admin/lib/labels.ts';
import { useIsDesktop } from '#app/lib/browser/media.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { AdminPagination } from '#shared/admin/schema.ts';

type Props = { label: string; pagination: AdminPagination; onPageChange(page: number): void };

const BUTTON_CLASSES =
  'figures grid h-11 min-w-11 cursor-pointer place-items-center rounded-control px-2 font-bold text-body aria-disabled:cursor-default aria-disabled:opacity-40';

/** Shows the range of the current page, with buttons for the other pages. */
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
            isAvailable={page > 1}
            onClick={() => onPageChange(page - 1)}
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
            isAvailable={page < pages}
            onClick={() => onPageChange(page + 1)}
          />
        </div>
      )}
    </nav>
  );
}

type StepProps = { icon: LucideIcon; label: string; isAvailable: boolean; onClick(): void };

/** Uses `aria-disabled` on the first and last page, because a disabled button would lose the focus. */
function StepButton({ icon, label, isAvailable, onClick }: StepProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={!isAvailable}
      onClick={() => isAvailable && onClick()}
      className={BUTTON_CLASSES}
    >
      <Icon icon={icon} />
    </button>
  );
}

type NumbersProps = { page: number; pages: number } & Pick<Props, 'onPageChange'>;

function PageNumbers({ page, pages, onPageChange }: NumbersProps) {
  return pageChoices(page, pages).map((choice, index) =>
    choice === null ? (
      <span key={index === 1 ? 'before' : 'after'} aria-hidden="true" className="px-1 text-muted">
        …
      </span>
    ) : (
      <button
        key={choice}
        type="button"
        aria-label={`Page ${choice}`}
        aria-current={choice === page ? 'page' : undefined}
        onClick={() => onPageChange(choice)}
        className={`${BUTTON_CLASSES} ${choice === page ? 'bg-neutral text-neutral-content' : ''}`}
      >
        {numberLabel(choice)}
      </button>
    ),
  );
}
