import * as z from 'zod/mini';
import { uuidParamsSchema } from '#shared/http.ts';
import {
  EMAIL_MAX_LENGTH,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  USERNAME_MAX_LENGTH,
  USERNAME_MIN_LENGTH,
  USERNAME_PATTERN,
  VERIFICATION_TOKEN_MISSING_MESSAGE,
} from './constants.ts';
import { assertionSchema } from './passkeys/schema.ts';

/** A user as seen by themselves and by administrators. Dates are ISO 8601 UTC. */
export const userSchema = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  /** A new address whose link has not been opened yet; only in the user's own account. */
  pendingEmail: z.optional(z.string()),
  /** The deletion that the user has requested: when it is due and what happens to the polls; only in the user's own account. */
  deletion: z.optional(z.object({ dueAt: z.string(), polls: z.enum(['keep', 'remove']) })),
  /** Whether the weekly mail is switched on; only in the user's own account, and absent in responses of older servers. */
  weeklyMail: z.optional(z.boolean()),
  /** The balance. */
  points: z.int(),
  /** The code with which this user invites others: it is part of their referral link. */
  referralCode: z.string(),
  /** The points earned by referrals; absent if there are none, or if the call does not return them. */
  referralPoints: z.optional(z.int()),
  isAdmin: z.boolean(),
  /** Whether an administrator has suspended the user, who cannot log in. */
  isSuspended: z.boolean(),
  /** Whether the user has opened the link that was sent to `email`. */
  isVerified: z.boolean(),
  createdAt: z.string(),
  /** The revision, raised by the server on every change. */
  rev: z.int(),
  /**
   * Identifies the history of the server's database: created with the database, renewed after a restore. Only in the user's own
   * account, and absent in responses of older servers.
   */
  epoch: z.optional(z.uuid()),
});
export type User = z.infer<typeof userSchema>;

const USERNAME_TOO_SHORT = `Username must be at least ${USERNAME_MIN_LENGTH} characters`;

export const usernameSchema = z
  .string(USERNAME_TOO_SHORT)
  .check(
    z.trim(),
    z.minLength(USERNAME_MIN_LENGTH, USERNAME_TOO_SHORT),
    z.maxLength(USERNAME_MAX_LENGTH, `Username must be at most ${USERNAME_MAX_LENGTH} characters`),
    z.regex(USERNAME_PATTERN, 'Use letters, digits, dots, dashes and underscores only'),
  );

function emailSchema(message: string) {
  return z.string(message).check(z.trim(), z.email(message), z.maxLength(EMAIL_MAX_LENGTH, message));
}

const PASSWORD_TOO_SHORT = `Password must be at least ${PASSWORD_MIN_LENGTH} characters`;

export const newPasswordSchema = z
  .string(PASSWORD_TOO_SHORT)
  .check(
    z.minLength(PASSWORD_MIN_LENGTH, PASSWORD_TOO_SHORT),
    z.maxLength(PASSWORD_MAX_LENGTH, `Password must be at most ${PASSWORD_MAX_LENGTH} characters`),
  );

export const registerInputSchema = z.object({
  username: usernameSchema,
  email: emailSchema('Please enter a valid email'),
  password: newPasswordSchema,
  /** The referral code of the user who has invited the new one. An unknown code is ignored. */
  referralCode: z.optional(z.string()),
});
export type RegisterInput = z.infer<typeof registerInputSchema>;

/** The fields of their own account that users can change. Absent fields are left unchanged. */
export const updateUserSchema = z.object({
  username: z.optional(usernameSchema),
  /** A new email takes effect once its link is opened. The current email cancels a change that is not confirmed yet. */
  email: z.optional(emailSchema('Please enter a valid email')),
  /** Required for a new email. */
  currentPassword: z.optional(z.string()),
  weeklyMail: z.optional(z.boolean()),
});
export type UpdateUserInput = z.infer<typeof updateUserSchema>;

export const forgotPasswordSchema = z.object({ email: emailSchema('Please enter a valid email address') });
export type ForgotPasswordInput = z.infer<typeof forgotPasswordSchema>;

const RESET_TOKEN_MISSING_MESSAGE = 'No reset token provided. Please request a new password reset link.';

export const resetPasswordSchema = z.object({
  token: z.string(RESET_TOKEN_MISSING_MESSAGE).check(z.minLength(1, RESET_TOKEN_MISSING_MESSAGE)),
  password: newPasswordSchema,
});
export type ResetPasswordInput = z.infer<typeof resetPasswordSchema>;

export const verifyEmailQuerySchema = z.object({
  token: z
    .string(VERIFICATION_TOKEN_MISSING_MESSAGE)
    .check(z.minLength(1, VERIFICATION_TOKEN_MISSING_MESSAGE)),
});

/** `token`: from the link in a weekly mail, or in the mail about a changed email, a new passkey or the second step. */
export const mailTokenSchema = z.object({ token: z.string().check(z.minLength(1)) });

/** Confirmed by the current password or a passkey. */
export const deletionInputSchema = z.object({
  password: z.optional(z.string()),
  passkey: z.optional(assertionSchema),
  /** Whether the polls are kept, without the maker's name, or deleted with their images. */
  polls: z.enum(['keep', 'remove']),
});
export type DeletionInput = z.infer<typeof deletionInputSchema>;

/**
 * The state of an export of all data about a user; `none` if the user has not requested one. `percent`: the progress from 0 to
 * 100; `bytes`: the size of the file, which is kept until `expiresAt` (ISO 8601 UTC).
 */
export const dataExportSchema = z.union([
  z.object({ state: z.literal('none') }),
  z.object({ state: z.literal('waiting'), percent: z.int() }),
  z.object({ state: z.literal('ready'), bytes: z.int(), expiresAt: z.string() }),
  z.object({ state: z.literal('failed') }),
]);
export type DataExport = z.infer<typeof dataExportSchema>;

export const changePasswordSchema = z.object({
  currentPassword: z
    .string('Enter your current password')
    .check(z.minLength(1, 'Enter your current password')),
  newPassword: newPasswordSchema,
});
export type ChangePasswordInput = z.infer<typeof changePasswordSchema>;

/** A session as its user sees it. Dates are ISO 8601 UTC. */
export const sessionSchema = z.object({
  id: z.uuid(),
  /** The browser and the operating system; '' if unknown. */
  device: z.string(),
  /** The first two parts of the IP address of the last request; '' if unknown. */
  network: z.string(),
  createdAt: z.string(),
  /** Up to an hour old: not every request updates it. */
  lastUsedAt: z.string(),
  /** Whether this is the session of the request. */
  current: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;

export const sessionParamsSchema = uuidParamsSchema('This session has already ended.');

/** A response that is only a message to show to the user. */
export const messageSchema = z.object({ message: z.string() });
export type MessageResponse = z.infer<typeof messageSchema>;

export const loginInputSchema = z.object({
  /** A username or an email. */
  username: z.string('Username is required').check(z.trim(), z.minLength(1, 'Username is required')),
  password: z.string('Password is required').check(z.minLength(1, 'Password is required')),
});
export type LoginInput = z.infer<typeof loginInputSchema>;

/** `message`: shown next to the field. */
export const usernameAvailabilitySchema = z.object({ available: z.boolean(), message: z.string() });
export type UsernameAvailabilityResponse = z.infer<typeof usernameAvailabilitySchema>;
