import { initials } from '#shared/auth/rules.ts';

const SIZES = {
  small: 'size-6 text-[0.6875rem]',
  medium: 'size-10 text-small',
  large: 'size-11 text-body',
} as const;

/** Up to two initials in a disc; the name itself stands beside it. */
export function Avatar({ name, size = 'small' }: { name: string; size?: keyof typeof SIZES }) {
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-full bg-base-300 font-bold leading-none ${SIZES[size]}`}
    >
      {initials(name)}
    </span>
  );
}
