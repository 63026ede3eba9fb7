import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { focusMain } from '#app/lib/navigation/focus-main.ts';

/**
 * A container that takes the focus when the focused element inside it is removed. When the container itself is removed, the
 * main content takes the focus. The container notices the removal of an element only when it is rendered, so it belongs in the
 * component that removes the element.
 */
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

  // The cleanup of a layout effect runs before the container is removed.
  useLayoutEffect(() => {
    const element = container.current;
    return () => {
      if (element?.contains(document.activeElement)) focusMain();
    };
  }, []);

  return (
    <div ref={container} tabIndex={-1} className={`outline-none ${className}`}>
      {children}
    </div>
  );
}
