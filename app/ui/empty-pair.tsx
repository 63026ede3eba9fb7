import { OrBadge } from './or-badge.tsx';

/** The pair with nothing in it yet. */
export function EmptyPair() {
  const side = 'h-28 border-2 border-edge border-dashed';
  return (
    <div className="pair pair-ground-page mx-auto w-full max-w-72" aria-hidden="true">
      <div className={`${side} rounded-l-picture rounded-r-inner`} />
      <div className={`${side} rounded-l-inner rounded-r-picture`} />
      <OrBadge />
    </div>
  );
}
