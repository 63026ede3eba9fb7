import { initials } from '#shared/accounts/rules.ts';

const MUTED_CLASSES = 'bg-base-300 font-bold';
const SIZES = {
  small: `size-6 text-[11px] ${MUTED_CLASSES}`,
  medium: `size-10 text-[13px] ${MUTED_CLASSES}`,
  large: `size-11 text-[15px] ${MUTED_CLASSES}`,
  huge: 'size-20 bg-neutral font-display font-extrabold text-[28px] text-neutral-content',
} as const;

/** Up to two initials in a disc. Hidden from screen readers, because the name is shown next to it. */
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
