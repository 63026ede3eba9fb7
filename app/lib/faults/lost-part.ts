/** What browsers say when a part of the app could not be loaded. */
const LOST_PART_WORDS = /dynamically imported module|importing a module script failed|unable to preload css/i;

export function saysPartIsLost(words: string): boolean {
  return LOST_PART_WORDS.test(words);
}

/** Whether a part of the app could not be loaded: React keeps that failure until the page is loaded anew. */
export function isLostPart(error: unknown): boolean {
  return error instanceof Error && saysPartIsLost(error.message);
}
