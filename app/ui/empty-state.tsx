import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { OrBadge } from './or-badge.tsx';

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

/** The pair with nothing in it yet. */
function EmptyPair() {
  const side = 'h-28 border-2 border-edge border-dashed';
  return (
    <div className="pair pair-ground-page mx-auto w-full max-w-72" aria-hidden="true">
      <div className={`${side} rounded-l-picture rounded-r-inner`} />
      <div className={`${side} rounded-l-inner rounded-r-picture`} />
      <OrBadge />
    </div>
  );
}

/** The pair with an icon on each side, for what has no pictures yet. */
export function IconPair({ icons }: { icons: readonly [LucideIcon, LucideIcon] }) {
  return (
    <div className="pair pair-ground-page" aria-hidden="true">
      {icons.map((icon, index) => (
        <div
          key={index === 0 ? 'left' : 'right'}
          className="pair-half grid place-items-center bg-base-100 text-muted shadow-card"
          data-option={index + 1}
        >
          <Icon of={icon} size={40} />
        </div>
      ))}
      <OrBadge />
    </div>
  );
}
