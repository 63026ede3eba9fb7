export const ADMIN_PAGE_SIZE = 10;
export const ADMIN_PAGE_SIZE_MAX = 100;
/** A page past this one is answered as this one: nobody leafs that far. */
export const ADMIN_PAGE_MAX = 1_000_000;
export const SEARCH_MAX_LENGTH = 200;
/** Matches of a search are counted up to here; past it `total` says "at least". */
export const SEARCH_TOTAL_MAX = 1_000;

/** The question of every poll that comes from a bulk upload. */
export const BULK_QUESTION = 'This or That?';
export const BULK_FILES_MAX = 100;
export const BULK_DURATION_DEFAULT_DAYS = 7;
export const BULK_RESPONSES_MIN = 10;
export const BULK_RESPONSES_MAX = 100;
export const BULK_RESPONSES_STEP = 5;
export const BULK_RESPONSES_DEFAULT = 20;

export const SAMPLE_COUNT_MIN = 1;
export const SAMPLE_COUNT_MAX = 500;
export const SAMPLE_COUNT_DEFAULT = 50;
export const SAMPLE_COUNT_INVALID = 'Poll count must be a positive number';

export const OVERVIEW_DAYS = 14;

/** How often a screen asks how far a job is. */
export const JOB_LOOK_INTERVAL_MS = 1_000;
/** A job is answered with 202 and goes on alone when this is in the `Prefer` header. */
export const RESPOND_ASYNC = 'respond-async';

export const NO_FILES = 'No files selected';
export const IMAGES_ONLY = 'Please select image files only';
export const EVEN_COUNT_ONLY = 'Please select an even number of images for paired polls';
