import { useEffect, useState } from 'react';

/**
 * The result of `load`; undefined until it has loaded, `fallback` after a failure. Both arguments must be the same on every
 * render.
 */
export function useAsync<Result, Fallback>(
  load: () => Promise<Result>,
  fallback: Fallback,
): Result | Fallback | undefined {
  const [result, setResult] = useState<Result | Fallback>();
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (loaded) => isCurrent && setResult(loaded),
      () => isCurrent && setResult(fallback),
    );
    return () => {
      isCurrent = false;
    };
  }, [load, fallback]);
  return result;
}
