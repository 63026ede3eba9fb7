/** `isStandalone` says whether the app was opened from the home screen. */
export type BrowserFacts = { userAgent: string; maxTouchPoints: number; isStandalone: boolean };

export function readBrowserFacts(): BrowserFacts {
  const { userAgent, maxTouchPoints } = navigator;
  return { userAgent, maxTouchPoints, isStandalone: matchMedia('(display-mode: standalone)').matches };
}

/** Whether the browser runs on iOS or iPadOS. An iPad identifies itself as a Mac, but no Mac has a touch screen. */
export function isIos({ userAgent, maxTouchPoints }: Omit<BrowserFacts, 'isStandalone'>): boolean {
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** Whether the app runs in a browser tab on iOS. */
export function isIosTab(facts: BrowserFacts): boolean {
  return isIos(facts) && !facts.isStandalone;
}
