export const QUESTION_MAX_LENGTH = 200;
/** What is said of a poll without its question or an image, on the device and by the server. */
export const QUESTION_MISSING = 'Please enter a question for your poll';
export const IMAGES_MISSING = 'Please upload both images for your poll';
export const CAPTION_MAX_LENGTH = 80;

export const MIN_RESPONSES = 10;
/** What a poll costs for each response wanted. */
export const RESPONSE_COST_POINTS = 1;
export const RESPONSES_MAX = 1_000_000;
/** The smallest balance with which a poll can be made. */
export const CREATE_POLL_MIN_POINTS = 10;

export const DURATION_OPTIONS_DAYS = [1, 3, 7, 30] as const;
export const DURATION_DEFAULT_DAYS = 3;
/** What a poll gets when its maker names no duration. */
export const DURATION_ABSENT_DAYS = 7;
export const DURATION_MIN_DAYS = 1;
export const DURATION_MAX_DAYS = 30;
export const DAY_MS = 86_400_000;

export const FEED_PAGE_SIZE = 24;
export const FEED_PAGE_SIZE_MAX = 100;
export const FEED_OFFSET_MAX = 10_000;
export const TRENDING_COUNT = 2;
export const TRENDING_COUNT_MAX = 20;
export const TRENDING_MIN_VOTES = 1;

export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;
export const IMAGE_MAX_PIXELS = 40_000_000;
/** Long side, in pixels, of the two stored sizes. */
export const IMAGE_LARGE_PX = 1080;
export const IMAGE_SMALL_PX = 480;

export const PLACEHOLDER_IMAGES = ['/placeholder-1.svg', '/placeholder-2.svg'] as const;

/** How often a user may move their vote on a poll to the other option. */
export const VOTE_CHANGES_MAX = 5;

export const ANONYMOUS = 'Anonymous';
