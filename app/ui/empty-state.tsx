import type { ReactNode } from 'react';
import { EmptyPair } from './empty-pair.tsx';

type Props = {
  picture?: ReactNode;
  title: string;
  /** 1 where it is all there is on a screen. */
  level?: 1 | 2;
  text?: string;
  children?: ReactNode;
};

/** Stands where there is nothing to show: a pair, what is missing, and what one can do. */
export function EmptyState({ picture = <EmptyPair />, title, level = 2, text, children }: Props) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <section className="mx-auto grid w-full max-w-72 gap-2 pt-16 text-center">
      {picture}
      <Heading className="pt-3 text-title">{title}</Heading>
      {text !== undefined && <p className="pb-2 text-field text-muted">{text}</p>}
      {children}
    </section>
  );
}
