import { useEffect, useRef } from 'react';

/** A ref to the kind of the last input: `pointer` for a finger or a mouse, `keys` for the keyboard or a screen reader. */
export function useLastInput() {
  const lastInput = useRef<'pointer' | 'keys'>('pointer');
  useEffect(() => {
    const onKey = () => {
      lastInput.current = 'keys';
    };
    const onPointer = ({ width, height }: PointerEvent) => {
      // In a click by a screen reader, the pointer has a size of 0.
      lastInput.current = width + height > 0 ? 'pointer' : 'keys';
    };
    document.addEventListener('keydown', onKey, { capture: true });
    document.addEventListener('pointerdown', onPointer, { capture: true });
    return () => {
      document.removeEventListener('keydown', onKey, { capture: true });
      document.removeEventListener('pointerdown', onPointer, { capture: true });
    };
  }, []);
  return lastInput;
}
