import type { ReactNode } from 'react';

type Props = { title: string; text?: string; isAlert?: boolean; children?: ReactNode };

/** A message shown in place of a screen, with actions below it. */
export function MessageScreen({ title, text, isAlert = true, children }: Props) {
  return (
    <section role={isAlert ? 'alert' : undefined} className="mx-auto grid max-w-80 gap-3 pt-20 text-center">
      <h1 className="text-title">{title}</h1>
      {text !== undefined && <p className="pb-2 text-field text-muted">{text}</p>}
      {children}
    </section>
  );
}
