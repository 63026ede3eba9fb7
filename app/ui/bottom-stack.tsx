import type { ReactNode } from 'react';

/** Where short messages and prompts pile up: above the bottom nav, at the right on a desktop. */
export function BottomStack({ children }: { children: ReactNode }) {
  return (
    <div className="bottom-place pointer-events-none fixed inset-x-3 z-40 mx-auto grid max-w-[26rem] gap-2 md:right-5 md:left-auto md:w-[26rem]">
      {children}
    </div>
  );
}
