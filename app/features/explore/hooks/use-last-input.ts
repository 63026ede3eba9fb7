import { useEffect, useRef } from 'react';

/** What was used last: a finger or the mouse, or else the keyboard or a screen reader. */
export function useLastInput() {
  const last = useRef<'pointer' | 'keys'>('pointer');
  useEffect(() => {
    const onKey = () => {
      last.current = 'keys';
    };
    const onPointer = ({ width, height }: PointerEvent) => {
      // Screen readers click with a pointer of no size.
      last.current = width + height > 0 ? 'pointer' : 'keys';
    };
    document.addEventListener('keydown', onKey, { capture: true });
    document.addEventListener('pointerdown', onPointer, { capture: true });
    return () => {
      document.removeEventListener('keydown', onKey, { capture: true });
      document.removeEventListener('pointerdown', onPointer, { capture: true });
    };
  }, []);
  return last;
}
