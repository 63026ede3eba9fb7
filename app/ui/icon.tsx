import { LoaderCircle, type LucideIcon } from 'lucide-react';

type Props = { icon: LucideIcon; size?: 16 | 20 | 24 | 40; className?: string };

/** An icon in the product's line weight. Hidden from screen readers: a text or label next to it says the same. */
export function Icon({ icon: Shape, size = 20, className = '' }: Props) {
  return <Shape size={size} strokeWidth={2.1} aria-hidden="true" className={`shrink-0 ${className}`} />;
}

/** The two images with the "or" badge between them, as an icon. */
export function PollsIcon() {
  return (
    <svg
      width={22}
      height={22}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.1"
      strokeLinecap="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d="M8.5 5H7a4 4 0 0 0-4 4v6a4 4 0 0 0 4 4h1.5M15.5 5H17a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-1.5" />
      <circle cx="12" cy="12" r="3.2" fill="currentColor" stroke="none" />
    </svg>
  );
}

export function Coin({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      <circle cx="10" cy="10" r="9.25" className="fill-primary stroke-primary-edge" strokeWidth="1.5" />
      <circle cx="10" cy="10" r="5.6" className="fill-none stroke-primary-edge" strokeWidth="1.5" />
    </svg>
  );
}

/** A small spinner; the text next to it says what is loading. */
export function SpinnerIcon({ size = 20 }: { size?: 16 | 20 | 24 }) {
  return <Icon icon={LoaderCircle} size={size} className="animate-spin" />;
}

export function PageSpinner() {
  return (
    <div role="status" className="grid min-h-[60dvh] place-items-center text-muted">
      <SpinnerIcon size={24} />
      <span className="sr-only">Loading</span>
    </div>
  );
}
