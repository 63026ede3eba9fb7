export const QUESTION_MAX_LENGTH = 200;
export const CAPTION_MAX_LENGTH = 80;
/** Validation messages of the create dialog and of the server. */
export const QUESTION_REQUIRED_MESSAGE = 'Please enter a question for your poll';
export const IMAGES_REQUIRED_MESSAGE = 'Please upload both images for your poll';

export const RESPONSES_MIN = 10;
/** Price of a poll per response wanted. */
export const RESPONSE_COST_POINTS = 1;
export const RESPONSES_MAX = 1_000_000;
/** Smallest balance that is sufficient for a poll. */
export const CREATE_POLL_POINTS_MIN = RESPONSES_MIN * RESPONSE_COST_POINTS;

export const DURATION_OPTIONS_DAYS = [1, 3, 7, 30] as const;
export const DURATION_DEFAULT_DAYS = 3;
/** Duration of a poll if the request does not contain one. */
export const DURATION_FALLBACK_DAYS = 7;
export const DURATION_MIN_DAYS = 1;
export const DURATION_MAX_DAYS = 30;

export const FEED_PAGE_SIZE = 24;
export const FEED_PAGE_SIZE_MAX = 100;
export const FEED_OFFSET_MAX = 10_000;
export const TRENDING_COUNT = 2;
export const TRENDING_COUNT_MAX = 20;
export const TRENDING_MIN_VOTES = 1;

export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;
export const IMAGE_MAX_PIXELS = 40_000_000;
/** The longer side of an image in its two stored sizes. */
export const IMAGE_LARGE_PX = 1080;
export const IMAGE_SMALL_PX = 480;

/** The path of an uploaded image: this prefix, followed by its name. */
export const IMAGE_PATH_PREFIX = '/uploads/';
export const PLACEHOLDER_IMAGES = ['/placeholder-1.svg', '/placeholder-2.svg'] as const;

/** How often a user can change their vote on a poll. */
export const VOTE_CHANGES_MAX = 5;

/** The path of a share link: this prefix, followed by a slug. */
export const SHARE_PATH_PREFIX = '/s/';
/** The file name of the card image, below the path of its share link. */
export const CARD_FILE_NAME = 'card.jpg';

export const ANONYMOUS_USERNAME = 'Anonymous';

/** How many votes a user whose email is not verified can cast in any 24 hours. */
export const UNVERIFIED_VOTES_PER_DAY_MAX = 50;
