import type { LucideIcon } from 'lucide-react';
import { Icon } from './icon.tsx';
import { OrBadge } from './or-badge.tsx';

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
