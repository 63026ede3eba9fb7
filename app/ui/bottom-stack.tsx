import type { ReactNode } from 'react';

type Props = { layer?: 'toasts' | 'connection'; children: ReactNode };

const LAYERS = { toasts: 'z-40', connection: 'bottom-place-lowest z-15' };

/** Where short messages and prompts pile up: above the bottom nav, at the right on a desktop. */
export function BottomStack({ layer = 'toasts', children }: Props) {
  return (
    <div
      className={`bottom-place pointer-events-none fixed inset-x-3 mx-auto grid max-w-[26rem] gap-2 md:right-5 md:left-auto md:w-[26rem] ${LAYERS[layer]}`}
    >
      {children}
    </div>
  );
}
