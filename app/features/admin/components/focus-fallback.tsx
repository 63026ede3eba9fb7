import { type ReactNode, useEffect, useRef } from 'react';

/** A container that takes the focus when the focused element inside it is removed. */
export function FocusFallback({ children, className = '' }: { children: ReactNode; className?: string }) {
  const container = useRef<HTMLDivElement>(null);
  const lastFocused = useRef<Node | null>(null);

  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const isInside = target instanceof Node && container.current?.contains(target) === true;
      lastFocused.current = isInside ? target : null;
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);

  // Runs after every render, because the removal of the focused element fires no event.
  useEffect(() => {
    if (lastFocused.current === null || lastFocused.current.isConnected) return;
    lastFocused.current = null;
    if (document.activeElement === document.body) container.current?.focus({ preventScroll: true });
  });
  return (
    <div ref={container} tabIndex={-1} className={`outline-none ${className}`}>
      {children}
    </div>
  );
}
