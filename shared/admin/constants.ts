export const ADMIN_PAGE_SIZE = 10;
export const ADMIN_PAGE_SIZE_MAX = 100;
/** The largest page number. Larger numbers are clamped to it. */
export const ADMIN_PAGE_MAX = 1_000_000;

/** The question of every poll created by a bulk upload. */
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
export const SAMPLE_COUNT_INVALID_MESSAGE = 'Poll count must be a positive number';

/** The number of days in the overview's chart. */
export const OVERVIEW_DAYS = 14;

/** The most unfinished jobs of one administrator, and of all administrators together. */
export const JOBS_OF_ADMIN_MAX = 5;
export const JOBS_MAX = 20;
export const JOB_LIMIT_MESSAGE = `You have ${JOBS_OF_ADMIN_MAX} unfinished jobs. Wait until one has finished, or stop one.`;
export const ALL_JOBS_LIMIT_MESSAGE = `Administrators have ${JOBS_MAX} unfinished jobs between them. Please wait until one has finished.`;
/** How often the client fetches the progress of an unfinished job. */
export const JOB_REFRESH_INTERVAL_MS = 1_000;
/** Value of the `Prefer` header (RFC 7240): the server responds with 202 at once and runs the job in the background. */
export const PREFER_RESPOND_ASYNC = 'respond-async';

export const NO_FILES_MESSAGE = 'No files selected';
export const IMAGES_ONLY_MESSAGE = 'Please select image files only';
export const EVEN_IMAGE_COUNT_MESSAGE = 'Please select an even number of images for paired polls';
