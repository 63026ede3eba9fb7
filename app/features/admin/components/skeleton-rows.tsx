import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';

/** The shape of a table that is on its way. */
export function SkeletonRows({ rows = ADMIN_PAGE_SIZE }: { rows?: number }) {
  return (
    <div role="status" className="rounded-card bg-base-100 px-4 py-2 shadow-card">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, index) => index).map((row) => (
        <div key={row} className="flex h-14 items-center gap-3">
          <span className="size-9 shrink-0 rounded-full bg-base-300" />
          <span className="h-3.5 w-full max-w-36 rounded-full bg-base-300" />
          <span className="ml-auto h-6 w-20 shrink-0 rounded-chip bg-base-300" />
        </div>
      ))}
    </div>
  );
}
