/** `isStandalone` says whether the app was opened from the home screen. */
export type BrowserFacts = { userAgent: string; maxTouchPoints: number; isStandalone: boolean };

export function readBrowserFacts(): BrowserFacts {
  const { userAgent, maxTouchPoints } = navigator;
  return { userAgent, maxTouchPoints, isStandalone: matchMedia('(display-mode: standalone)').matches };
}

/** Whether the app runs in a browser tab on iOS. An iPad identifies itself as a Mac, but no Mac has a touch screen. */
export function isIosTab({ userAgent, maxTouchPoints, isStandalone }: BrowserFacts): boolean {
  const isIos = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  return isIos && !isStandalone;
}
