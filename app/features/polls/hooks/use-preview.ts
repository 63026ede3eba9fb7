import { useEffect, useState } from 'react';

const decoded = new Map<string, string>();

async function decode(hash: string): Promise<string> {
  const cachedUrl = decoded.get(hash);
  if (cachedUrl !== undefined) return cachedUrl;
  const { thumbHashToDataURL } = await import('thumbhash');
  const url = thumbHashToDataURL(Uint8Array.from(atob(hash), (character) => character.charCodeAt(0)));
  decoded.set(hash, url);
  return url;
}

/** A data URL of a ThumbHash (base64); null until it is decoded, and when there is none. */
export function usePreviewUrl(hash: string | null): string | null {
  const [url, setUrl] = useState(() => (hash === null ? null : (decoded.get(hash) ?? null)));
  useEffect(() => {
    if (hash === null) return;
    let isCancelled = false;
    // A failure is ignored: the image itself still loads.
    decode(hash).then(
      (next) => !isCancelled && setUrl(next),
      () => undefined,
    );
    return () => {
      isCancelled = true;
    };
  }, [hash]);
  return hash === null ? null : url;
}
