export const USERNAME_MIN_LENGTH = 3;
export const USERNAME_MAX_LENGTH = 30;
export const USERNAME_PATTERN = /^[A-Za-z0-9_.-]+$/;
export const EMAIL_MAX_LENGTH = 254;
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;
/** The lowest accepted strength of a new password, estimated from 0 (among the first guesses) to 4. */
export const PASSWORD_SCORE_MIN = 2;
/** The strength of a password is estimated from its first characters only: a longer text takes longer to estimate. */
export const PASSWORD_ESTIMATE_MAX_LENGTH = 64;
export const USERNAME_CHECK_DEBOUNCE_MS = 500;

/** The id of the owner account. Ids of registered users start at 100. */
export const OWNER_USER_ID = 15;
/** The title and the text of the message for users without administrator rights. */
export const ACCESS_DENIED_TITLE = 'Access Denied';
export const NOT_ADMIN_MESSAGE = "You don't have administrator privileges";
/** Explains a suspension, at the login and in mails. Follows a sentence that says that the account is suspended. */
export const SUSPENSION_EXPLANATION =
  'You will not be able to log in until an administrator lifts the suspension.';
/** Largest value of the PostgreSQL type `integer`. */
export const USER_ID_MAX = 2_147_483_647;

/** A session expires after this many days without a request, and at the latest at its maximum age. */
export const SESSION_IDLE_TIMEOUT_DAYS = 14;
export const SESSION_MAX_AGE_DAYS = 60;

/** Lifetime of the link, printed by the server, that sets the owner's first password. */
export const SET_UP_TOKEN_TTL_HOURS = 24;
/** The most sessions of a user. Another login ends the least recently used one. */
export const SESSIONS_MAX = 100;

/** Lifetimes of the tokens in emailed links. */
export const RESET_TOKEN_TTL_MINUTES = 60;
export const VERIFICATION_TOKEN_TTL_HOURS = 24;
/** For the links that undo a change of the email, a new passkey or the second step. */
export const UNDO_TOKEN_TTL_DAYS = 7;
/** How long the challenge for a passkey and the ticket of a second step are valid. */
export const CHALLENGE_TTL_MINUTES = 5;
/** How long a session can change passkeys and the second step after it was confirmed. */
export const CONFIRMATION_TTL_MINUTES = 5;
export const PASSKEYS_MAX = 20;
export const PASSKEY_NAME_MAX_LENGTH = 60;
/** How many recovery codes are generated at once. */
export const RECOVERY_CODE_COUNT = 10;

/** The time from the request to the deletion of an account. Until then, its user can cancel the deletion. */
export const DELETION_DELAY_DAYS = 7;
/** How long the file of an export is kept. */
export const EXPORT_TTL_HOURS = 24;
/** How long the success message of an emailed link is shown before the redirect. */
export const MAIL_LINK_REDIRECT_DELAY_MS = 3_000;

/** Messages that the server sends and the app also contains. */
export const VERIFICATION_TOKEN_MISSING_MESSAGE = 'No verification token provided.';
export const PASSWORD_RESET_REQUESTED_MESSAGE =
  'If your email is registered with us, you will receive instructions to reset your password.';
