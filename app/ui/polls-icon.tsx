type Props = { size?: number };

/** The pair with its badge, as an icon. */
export function PollsIcon({ size = 24 }: Props) {
  return (
    <svg
      width={size}
      height={size}
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
