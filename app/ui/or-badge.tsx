export function OrBadge({ pale = false }: { pale?: boolean }) {
  return (
    <span className={`pair-or ${pale ? 'opacity-45' : ''}`} aria-hidden="true">
      {pale ? null : 'or'}
    </span>
  );
}
