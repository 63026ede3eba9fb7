import { ArrowUp } from 'lucide-react';
import { fromEvents, useObservable } from '#app/lib/engine/use-observable.ts';
import { prefersReducedMotion } from '#app/lib/media.ts';
import { Icon } from '#app/ui/icon.tsx';

const SHOWN_AFTER_PX = 500;

const isScrolledDown = fromEvents(window, ['scroll'], () => window.scrollY > SHOWN_AFTER_PX);

export function BackToTop() {
  if (!useObservable(isScrolledDown)) return null;
  return (
    <button
      type="button"
      aria-label="Back to top"
      onClick={() => window.scrollTo({ top: 0, behavior: prefersReducedMotion() ? 'auto' : 'smooth' })}
      className="bottom-place fixed right-3 z-12 grid size-12 animate-enter cursor-pointer place-items-center rounded-full bg-neutral text-neutral-content shadow-lifted md:right-5"
    >
      <Icon icon={ArrowUp} size={24} />
    </button>
  );
}
