export const USERNAME_MIN_LENGTH = 3;
export const USERNAME_MAX_LENGTH = 30;
export const USERNAME_PATTERN = /^[A-Za-z0-9_.-]+$/;
export const EMAIL_MAX_LENGTH = 254;
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;
export const USERNAME_CHECK_DEBOUNCE_MS = 500;

/** The id of the owner account. Ids of registered users start at 100. */
export const OWNER_USER_ID = 15;
/** Title and text of the message for users without administrator rights. */
export const ACCESS_DENIED_TITLE = 'Access Denied';
export const NOT_ADMIN_MESSAGE = "You don't have administrator privileges";
/** Largest value of the PostgreSQL type `integer`. */
export const USER_ID_MAX = 2_147_483_647;

/** A session expires after this many days without a request, and at the latest at its maximum age. */
export const SESSION_IDLE_TIMEOUT_DAYS = 14;
export const SESSION_MAX_AGE_DAYS = 60;

/** Lifetimes of the tokens in emailed links. */
export const RESET_TOKEN_TTL_MINUTES = 60;
export const VERIFICATION_TOKEN_TTL_HOURS = 24;
/** How long the success message of an emailed link is shown before the redirect. */
export const MAIL_LINK_REDIRECT_DELAY_MS = 3_000;

/** Shown by the app, and sent by the server. */
export const VERIFICATION_TOKEN_MISSING_MESSAGE = 'No verification token provided.';
export const PASSWORD_RESET_REQUESTED_MESSAGE =
  'If your email is registered with us, you will receive instructions to reset your password.';
