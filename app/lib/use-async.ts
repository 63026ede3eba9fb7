import { useEffect, useState } from 'react';

/**
 * The result of `load`; undefined until it has loaded, `onError` after a failure. Both arguments must be the same on every
 * render.
 */
export function useAsync<Result, Fallback>(
  load: () => Promise<Result>,
  onError: Fallback,
): Result | Fallback | undefined {
  const [result, setResult] = useState<Result | Fallback>();
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (loaded) => isCurrent && setResult(loaded),
      () => isCurrent && setResult(onError),
    );
    return () => {
      isCurrent = false;
    };
  }, [load, onError]);
  return result;
}
