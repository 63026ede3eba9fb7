import { type RefCallback, useCallback, useState } from 'react';

/** How far an image may be from the viewport when its preview is decoded: half the height of the viewport. */
const MARGIN = '50% 0px';

/** The data URLs of decoded previews, by their hashes. */
const decodedUrls = new Map<string, string>();

async function decode(hash: string): Promise<string> {
  const cachedUrl = decodedUrls.get(hash);
  if (cachedUrl !== undefined) return cachedUrl;
  const { thumbHashToDataURL } = await import('thumbhash');
  const url = thumbHashToDataURL(Uint8Array.from(atob(hash), (character) => character.charCodeAt(0)));
  decodedUrls.set(hash, url);
  return url;
}

/**
 * The preview of an image, whose element gets `ref`: the data URL of its ThumbHash `hash` (base64); null until it is decoded. It
 * is decoded only when the image comes near the viewport before it has loaded: decoding the previews of a whole page of polls
 * would delay the first screen. A preview that was decoded before is returned at once.
 */
export function usePreview(hash: string | null): { ref: RefCallback<HTMLImageElement>; url: string | null } {
  const [url, setUrl] = useState(() => (hash === null ? null : (decodedUrls.get(hash) ?? null)));
  const ref = useCallback(
    (image: HTMLImageElement) => {
      if (hash === null) return;
      let isCancelled = false;
      const observer = new IntersectionObserver(
        (entries) => {
          // A busy browser reports several changes at once, the current state last.
          if (!entries.at(-1)?.isIntersecting) return;
          observer.disconnect();
          if (image.complete) return;
          // A failure is ignored: the image itself still loads.
          decode(hash).then(
            (next) => !isCancelled && setUrl(next),
            () => undefined,
          );
        },
        { rootMargin: MARGIN },
      );
      observer.observe(image);
      return () => {
        isCancelled = true;
        observer.disconnect();
      };
    },
    [hash],
  );
  return { ref, url: hash === null ? null : url };
}
