import { useEffect, useState } from 'react';

/** Whether something was copied in the last `shownMs`, and a function to call after copying. */
export function useCopied(shownMs = 2_000): [isCopied: boolean, onCopied: () => void] {
  // Counted, so that copying again starts the time anew.
  const [copyCount, setCopyCount] = useState(0);
  useEffect(() => {
    if (copyCount === 0) return;
    const timer = setTimeout(() => setCopyCount(0), shownMs);
    return () => clearTimeout(timer);
  }, [copyCount, shownMs]);
  return [copyCount > 0, () => setCopyCount((count) => count + 1)];
}
