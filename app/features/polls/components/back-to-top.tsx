import { ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { prefersReducedMotion } from '#app/lib/media.ts';
import { Icon } from '#app/ui/icon.tsx';

const SHOWN_AFTER_PX = 500;

export function BackToTop() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const look = () => setShown(window.scrollY > SHOWN_AFTER_PX);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  if (!shown) return null;
  return (
    <button
      type="button"
      aria-label="Back to top"
      onClick={() => window.scrollTo({ top: 0, behavior: prefersReducedMotion() ? 'auto' : 'smooth' })}
      className="bottom-place fixed right-3 z-12 grid size-12 animate-enter cursor-pointer place-items-center rounded-full bg-neutral text-neutral-content shadow-lifted md:right-5"
    >
      <Icon of={ArrowUp} size={24} />
    </button>
  );
}
