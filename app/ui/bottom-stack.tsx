import type { ReactNode } from 'react';

type Props = { layer?: keyof typeof LAYERS; children: ReactNode };

const LAYERS = {
  toasts: 'z-40 md:right-5 md:left-auto md:w-[26rem]',
  // A form on a whole screen has its key at the bottom, on any screen.
  top: 'top-place z-40 md:right-5 md:left-auto md:w-[26rem]',
  // A dialog on a desktop has its keys at the bottom: there the messages come from above.
  modal: 'z-40 md:top-2 md:bottom-auto',
  connection: 'bottom-place-lowest z-15 md:right-5 md:left-auto md:w-[26rem]',
};

/** Where short messages and prompts pile up: above the bottom nav unless at the top, at the right on a desktop. */
export function BottomStack({ layer = 'toasts', children }: Props) {
  return (
    <div
      className={`bottom-place pointer-events-none fixed inset-x-3 mx-auto grid max-w-[26rem] gap-2 ${LAYERS[layer]}`}
    >
      {children}
    </div>
  );
}
