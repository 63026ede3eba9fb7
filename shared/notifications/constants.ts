export const NOTIFICATIONS_PAGE_SIZE = 30;
export const NOTIFICATIONS_PAGE_SIZE_MAX = 100;
export const NOTIFICATIONS_KEPT_DAYS = 90;
/** A user's oldest notifications beyond this number are deleted. */
export const NOTIFICATIONS_MAX = 500;

/** What a notification is about. */
export const NOTIFICATION_KINDS = [
  'first_vote',
  'halfway',
  'completed',
  'expired',
  'removed',
  'referral_joined',
  'referral_verified',
  'report_resolved',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** The most push messages to a user in 24 hours. */
export const PUSHES_PER_DAY_MAX = 5;
/** The most devices of a user that receive push messages. A further device replaces the oldest one. */
export const PUSH_DEVICES_MAX = 10;

/** The shortest time between two weekly mails to a user. */
export const DIGEST_INTERVAL_DAYS = 7;
