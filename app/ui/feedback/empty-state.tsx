import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '#app/ui/icon.tsx';
import { OrBadge } from '#app/ui/option-letter.tsx';

type Props = {
  graphic?: ReactNode;
  title: string;
  /** The level of the heading: 1 if the empty state fills the whole screen. */
  level?: 1 | 2;
  text?: string;
  children?: ReactNode;
};

/** Shown by a screen or list without content: a graphic, a title, a text and an action. */
export function EmptyState({ graphic = <EmptyPair />, title, level = 2, text, children }: Props) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <section className="mx-auto grid w-full max-w-72 gap-2 pt-16 text-center">
      {graphic}
      <Heading className="pt-3 text-title">{title}</Heading>
      {text !== undefined && <p className="pb-2 text-field text-muted">{text}</p>}
      {children}
    </section>
  );
}

function EmptyPair() {
  const sideClasses = 'h-28 border-2 border-edge border-dashed';
  return (
    <div className="pair pair-ground-page mx-auto w-full max-w-72" aria-hidden="true">
      <div className={`${sideClasses} rounded-l-image rounded-r-inner`} />
      <div className={`${sideClasses} rounded-l-inner rounded-r-image`} />
      <OrBadge />
    </div>
  );
}

/** An empty thumbnail in a row of a list, for a poll that no longer exists or is only an idea. */
export function MissingPollPair() {
  const halfClasses = 'pair-half border-2 border-edge border-dashed';
  return (
    <div className="pair pair-row" aria-hidden="true">
      <div className={halfClasses} data-option={1} />
      <div className={halfClasses} data-option={2} />
      <OrBadge />
    </div>
  );
}

/** Two icons, or the initials of two users, as large as the thumbnail of a poll in a list. */
export function ThumbnailPair({
  halves,
  badge,
}: {
  halves: readonly [ReactNode, ReactNode];
  badge?: string;
}) {
  const halfClasses = 'pair-half grid place-items-center bg-base-300 font-bold text-small';
  return (
    <div className="pair pair-row" aria-hidden="true">
      <div className={halfClasses} data-option={1}>
        {halves[0]}
      </div>
      <div className={halfClasses} data-option={2}>
        {halves[1]}
      </div>
      {badge !== undefined && <span className="pair-or">{badge}</span>}
    </div>
  );
}

/** An icon for a half of a `ThumbnailPair`. */
export const smallIcon = (icon: LucideIcon) => <Icon icon={icon} size={16} />;

/** A graphic of two icons with the "or" badge between them. */
export function IconPair({ icons }: { icons: readonly [LucideIcon, LucideIcon] }) {
  const halfClasses = 'pair-half grid place-items-center bg-base-100 text-muted shadow-card';
  return (
    <div className="pair pair-ground-page" aria-hidden="true">
      <div className={halfClasses} data-option={1}>
        <Icon icon={icons[0]} size={40} />
      </div>
      <div className={halfClasses} data-option={2}>
        <Icon icon={icons[1]} size={40} />
      </div>
      <OrBadge />
    </div>
  );
}
