/** Where the system posts the photos that another app shares with this one. The manifest names path and field, too. */
export const SHARE_TARGET = { path: '/share-target', field: 'images' } as const;

/** The screens after that: a new poll with the photos, or without them where nobody could keep them. */
export const SHARE_TARGET_SCREENS = {
  received: '/home?create=received',
  lost: '/home?create=lost',
} as const;
