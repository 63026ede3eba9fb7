import { type ReactNode, useId } from 'react';

/** A section of a list, such as a day: a heading, and below it a card with the rows, each of them an `li`. */
export function DaySection({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 px-1 pt-4 pb-2">
        <h2 id={id} className="text-label">
          {title}
        </h2>
        {aside !== undefined && <p className="text-muted text-small">{aside}</p>}
      </div>
      <ul className="divide-y divide-base-300 card px-2.5">{children}</ul>
    </section>
  );
}

/** A row with a thumbnail or icon, a title with a text (of one line, unless `isTextWhole`), and an element at its end. */
export function DayRow({
  image,
  title,
  text,
  isTextWhole = false,
  end,
}: {
  image: ReactNode;
  title: ReactNode;
  text: ReactNode;
  isTextWhole?: boolean;
  end: ReactNode;
}) {
  return (
    <div className="flex min-h-[4.125rem] animate-enter items-center gap-3 py-2.5">
      {image}
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere text-body">{title}</p>
        <div className={`${isTextWhole ? '' : 'line-clamp-1'} wrap-anywhere text-muted text-small`}>
          {text}
        </div>
      </div>
      {end}
    </div>
  );
}

/** Skeletons of rows, shown while the list loads. */
export function DaySkeleton({ label }: { label: string }) {
  return (
    <div role="status" className="mt-4 divide-y divide-base-300 card px-2.5">
      <span className="sr-only">{label}</span>
      {[1, 2, 3].map((place) => (
        <div key={place} className="flex min-h-[4.125rem] items-center gap-3 py-2.5">
          <div className="pair pair-row">
            <div className="pair-half bg-base-300" data-option={1} />
            <div className="pair-half bg-base-300" data-option={2} />
          </div>
          <div className="grid flex-1 gap-2">
            <div className="h-2.5 w-1/3 rounded-full bg-base-300" />
            <div className="h-2.5 w-4/5 rounded-full bg-base-300" />
          </div>
        </div>
      ))}
    </div>
  );
}
