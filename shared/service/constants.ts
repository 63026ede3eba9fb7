/** Where the operating system posts photos shared by another app (Web Share Target). The manifest repeats path and field. */
export const SHARE_TARGET = { path: '/share-target', field: 'images' } as const;

/** Where `SHARE_TARGET` redirects: a new poll with the photos, or without them if they could not be stored. */
export const SHARE_TARGET_SCREENS = {
  received: '/home?create=received',
  notStored: '/home?create=lost',
} as const;
