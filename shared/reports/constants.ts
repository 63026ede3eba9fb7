export const REPORT_TEXT_MAX_LENGTH = 500;

/** How many users a user can block. */
export const BLOCKS_MAX = 1_000;

/** A poll that this many verified users have reported is hidden until an administrator decides about it. */
export const REPORTS_TO_HIDE = 5;

/** Reports of a user with at least this many dismissed reports and no upheld one count with the weight below. */
export const DISMISSED_REPORTS_TO_DISCOUNT = 3;
export const DISMISSED_REPORTER_WEIGHT = 0.5;

/** How long Undo is offered after a decision about a reported poll. */
export const UNDO_WITHIN_MS = 10_000;

/** How long a removed poll is kept for its maker before it is deleted with its images. */
export const REMOVED_POLLS_KEPT_DAYS = 30;
