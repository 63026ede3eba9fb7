const STORAGE_KEY = 'deckCards';
/** The first cards that the device shows have a hint that they can be swiped. */
const HINTED_CARDS = 3;

function cardsSeen(): number {
  try {
    return Number(localStorage.getItem(STORAGE_KEY) ?? 0);
  } catch {
    return 0;
  }
}

export function needsSwipeHint(): boolean {
  return cardsSeen() < HINTED_CARDS;
}

export function countCard(): void {
  const seen = cardsSeen();
  if (seen >= HINTED_CARDS) return;
  try {
    localStorage.setItem(STORAGE_KEY, String(seen + 1));
  } catch {
    // Without storage the hint is always shown.
  }
}
