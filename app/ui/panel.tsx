import { type ReactNode, useId } from 'react';

/** A card with a title, for one matter of a screen. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="in-card grid gap-4 rounded-card bg-base-100 p-4 shadow-card">
      <h2 id={id} className="text-question">
        {title}
      </h2>
      {children}
    </section>
  );
}
