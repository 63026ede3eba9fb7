export function Coin({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      <circle cx="10" cy="10" r="9.25" className="fill-primary stroke-primary-edge" strokeWidth="1.5" />
      <circle cx="10" cy="10" r="5.6" className="fill-none stroke-primary-edge" strokeWidth="1.5" />
    </svg>
  );
}
