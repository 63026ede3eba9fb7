export const FIRST_USER_ID = 1_000;
/** A session token has 32 bytes, which are 43 characters in base64url. */
export const TOKEN_LENGTH = 43;

/** Id and session token of a user in a database filled by `seedLoad`; `index` starts at 0. */
export function loadTestUser(index: number): { id: number; token: string } {
  return { id: FIRST_USER_ID + index, token: String(index).padStart(TOKEN_LENGTH, '0') };
}

/** The id of a poll in such a database; `index` starts at 0. */
export function loadTestPollId(index: number): string {
  return `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
}
