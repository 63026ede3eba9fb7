import { useLayoutEffect } from 'react';

/** How many mounted components use each class. */
const uses = new Map<string, number>();

/**
 * The root element has the class while a component that calls this is mounted. Selectors like `:root:has(…)` are not an
 * alternative: for them, browsers compute the styles of the root again whenever an element is added to the page. The build
 * adds the class of the bottom navigation to the prerendered /home (scripts/run/prerender.ts).
 */
export function useRootClass(name: string): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    uses.set(name, (uses.get(name) ?? 0) + 1);
    classList.add(name);
    return () => {
      const left = (uses.get(name) ?? 1) - 1;
      uses.set(name, left);
      if (left === 0) classList.remove(name);
    };
  }, [name]);
}
