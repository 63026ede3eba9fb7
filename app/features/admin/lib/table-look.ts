/** How a table looks, that of the users as that of the polls. */
export const TABLE = 'w-full table-fixed rounded-card bg-base-100 text-body shadow-card';
export const HEAD = 'h-12 px-2.5 text-left first:pl-4 lg:px-4 font-semibold text-muted text-small';
export const ROW =
  'border-base-300 border-t hover:bg-base-300/40 last:*:first:rounded-bl-card last:*:last:rounded-br-card';
export const CELL = 'h-[3.375rem] px-2.5 py-1 first:pl-4 lg:px-4';
