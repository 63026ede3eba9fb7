import { initials } from '#shared/auth/rules.ts';

const QUIET = 'bg-base-300 font-bold';
const SIZES = {
  small: `size-6 text-[0.6875rem] ${QUIET}`,
  medium: `size-10 text-small ${QUIET}`,
  large: `size-11 text-body ${QUIET}`,
  huge: 'size-20 bg-neutral font-display font-extrabold text-neutral-content text-title',
} as const;

/** Up to two initials in a disc; the name itself stands beside it. */
export function Avatar({ name, size = 'small' }: { name: string; size?: keyof typeof SIZES }) {
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-full leading-none ${SIZES[size]}`}
    >
      {initials(name)}
    </span>
  );
}
