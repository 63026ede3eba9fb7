const STORAGE_KEY = 'deckCards';
/** How many cards are shown on this device with a hint that they can be swiped. */
const HINTED_CARDS_MAX = 3;

function seenCardCount(): number {
  try {
    return Number(localStorage.getItem(STORAGE_KEY) ?? 0);
  } catch {
    return 0;
  }
}

export function needsSwipeHint(): boolean {
  return seenCardCount() < HINTED_CARDS_MAX;
}

export function countSeenCard(): void {
  const seen = seenCardCount();
  if (seen >= HINTED_CARDS_MAX) return;
  try {
    localStorage.setItem(STORAGE_KEY, String(seen + 1));
  } catch {
    // Without storage the hint is always shown.
  }
}
