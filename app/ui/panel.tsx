import { type ReactNode, useId } from 'react';

/** A titled section of a screen, drawn as a card. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="in-card grid gap-4 card p-4">
      <h2 id={id} className="text-question">
        {title}
      </h2>
      {children}
    </section>
  );
}
