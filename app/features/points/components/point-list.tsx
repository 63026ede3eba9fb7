import type { PointFact } from './point-facts.ts';

/** What earns points, or what costs them, a row each. */
export function PointList({ title, facts }: { title: string; facts: readonly PointFact[] }) {
  return (
    <section>
      <h2 className="feed-heading text-question">{title}</h2>
      <ul className="grid gap-4.5 rounded-card bg-base-100 p-4 shadow-card">
        {facts.map(({ delta, title: name, text }) => (
          <li key={name} className="flex items-center gap-3.5">
            <span
              className={`figures grid min-h-10 min-w-14 shrink-0 place-items-center rounded-[13px] font-extrabold text-[1.0625rem] ${delta > 0 ? 'bg-primary text-primary-content' : 'bg-base-300'}`}
            >
              {delta > 0 ? `+${delta}` : `−${-delta}`}
            </span>
            <span className="min-w-0">
              <span className="block font-semibold text-body">{name}</span>
              <span className="block text-muted text-small">{text}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
