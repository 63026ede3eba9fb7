export const USERNAME_MIN_LENGTH = 3;
export const USERNAME_MAX_LENGTH = 30;
export const USERNAME_PATTERN = /^[A-Za-z0-9_.-]+$/;
export const EMAIL_MAX_LENGTH = 254;
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;
export const USERNAME_CHECK_DEBOUNCE_MS = 500;

/** The account of the owner; sign-ups get ids from 100 up. */
export const OWNER_USER_ID = 15;
/** What whoever is no administrator is told. */
export const ACCESS_DENIED = 'Access Denied';
export const NOT_ADMIN = "You don't have administrator privileges";
/** What the database can hold. */
export const USER_ID_MAX = 2_147_483_647;

export const SESSION_IDLE_DAYS = 14;
export const SESSION_MAX_DAYS = 60;

/** How long the links in mails work. */
export const RESET_TOKEN_MINUTES = 60;
export const VERIFICATION_TOKEN_HOURS = 24;
/** How long a mail link's success shows before the next screen. */
export const MAIL_LINK_REDIRECT_MS = 3_000;

/** What is said on the device and by the server alike. */
export const VERIFICATION_TOKEN_MISSING = 'No verification token provided.';
export const RESET_MAIL_ASKED =
  'If your email is registered with us, you will receive instructions to reset your password.';
