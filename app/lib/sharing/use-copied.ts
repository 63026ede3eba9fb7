import { useEffect, useState } from 'react';

/** Whether something was copied in the last `shownMs`, and a function to call after copying. */
export function useCopied(shownMs = 2_000): [isCopied: boolean, onCopied: () => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied, shownMs]);
  return [isCopied, () => setCopied(true)];
}
