import type { ReactNode } from 'react';

export const CELL = 'h-[3.375rem] px-2.5 py-1 first:pl-4 lg:px-4';

type Props = {
  caption: string;
  columns: readonly { name: string; className?: string }[];
  children: ReactNode;
};

/** A table whose last column, without a visible name, holds the actions of a row. */
export function DataTable({ caption, columns, children }: Props) {
  const head = 'h-12 px-2.5 text-left first:pl-4 lg:px-4 font-semibold text-muted text-small';
  return (
    <table className="card w-full table-fixed text-body">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, className = '' }) => (
            <th key={name} scope="col" className={`${head} ${className}`}>
              {name}
            </th>
          ))}
          <th scope="col" className={`${head} w-16`}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="border-base-300 border-t hover:bg-base-300/40 last:*:first:rounded-bl-card last:*:last:rounded-br-card">
      {children}
    </tr>
  );
}
