import { useEffect, useRef } from 'react';

/** `pointer`: a finger or a mouse; `keys`: the keyboard or a screen reader. `atMs`: when it was pressed (`performance.now()`). */
export type Input = { kind: 'pointer' | 'keys'; atMs: number };

/** A ref to the last input. */
export function useLastInput() {
  const lastInput = useRef<Input>({ kind: 'pointer', atMs: 0 });
  useEffect(() => {
    const onKey = ({ timeStamp }: KeyboardEvent) => {
      lastInput.current = { kind: 'keys', atMs: timeStamp };
    };
    const onPointer = ({ width, height, timeStamp }: PointerEvent) => {
      // In a click by a screen reader, the pointer has a size of 0.
      lastInput.current = { kind: width + height > 0 ? 'pointer' : 'keys', atMs: timeStamp };
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
