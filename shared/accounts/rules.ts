import { OWNER_USER_ID } from './constants.ts';

/** Whether a user has administrator rights: by the flag or, always, as the owner. */
export function isAdmin(user: { id: number; isAdmin: boolean }): boolean {
  return user.isAdmin || user.id === OWNER_USER_ID;
}

/** Up to two initials of a username: "mara.lind" gives "ML", "tomas" gives "T". Without letters and digits, '' is returned. */
export function initials(username: string): string {
  const words = username.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
}
