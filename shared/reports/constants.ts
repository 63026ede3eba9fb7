export const REPORT_TEXT_MAX_LENGTH = 500;

/** How many people a user can have blocked. */
export const BLOCKS_MAX = 1_000;

/** How many verified users have to report a poll for it to be hidden until an administrator has looked at it. */
export const REPORTS_TO_HIDE = 5;

/** A user's reports count half after so many dismissed ones and no upheld one. */
export const DISMISSED_REPORTS_MAX = 3;
export const DISMISSED_REPORTER_WEIGHT = 0.5;

/** How long Undo is offered after a decision about a reported poll. */
export const UNDO_WITHIN_MS = 10_000;

/** A removed poll is kept this long for its maker, then it is deleted with its images. */
export const REMOVED_POLLS_KEPT_DAYS = 30;
