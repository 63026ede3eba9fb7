export const FIRST_USER_ID = 1_000;
export const TOKEN_LENGTH = 43;

/** Id and session token of the nth user in a database filled by `seedLoad`. */
export function loadUser(nth: number): { id: number; token: string } {
  return { id: FIRST_USER_ID + nth, token: String(nth).padStart(TOKEN_LENGTH, '0') };
}

/** The id of the nth poll. */
export function loadPollId(nth: number): string {
  return `00000000-0000-7000-8000-${nth.toString(16).padStart(12, '0')}`;
}
