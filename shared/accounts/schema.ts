import * as z from 'zod/mini';
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

/**
 * A user as seen by themselves and by administrators. `createdAt` is ISO 8601 UTC. `referralPoints` are the points earned
 * by referrals; absent if there are none or if they were not queried. `epoch` identifies the history of the server's
 * database: a UUID that is created with the database and renewed after a restore from a backup. It is absent in lists of
 * users and in responses of servers older than this field.
 */
export const userSchema = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  /** A new address whose link has not been opened yet; only in the user's own account. */
  pendingEmail: z.optional(z.string()),
  /** When the account is deleted, at the user's wish, and what becomes of the polls; only in the user's own account. */
  deletion: z.optional(z.object({ dueAt: z.string(), polls: z.enum(['keep', 'remove']) })),
  /** Whether the weekly mail is switched on; only in the user's own account, and absent in responses of older servers. */
  weeklyMail: z.optional(z.boolean()),
  points: z.int(),
  referralCode: z.string(),
  referralPoints: z.optional(z.int()),
  isAdmin: z.boolean(),
  isSuspended: z.boolean(),
  isVerified: z.boolean(),
  createdAt: z.string(),
  rev: z.int(),
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
  referralCode: z.optional(z.string()),
});
export type RegisterInput = z.infer<typeof registerInputSchema>;

/**
 * The fields of their own account that users can change. Absent fields are left unchanged. A new email needs the current password;
 * the present one withdraws a change that is not confirmed yet.
 */
export const updateUserSchema = z.object({
  username: z.optional(usernameSchema),
  email: z.optional(emailSchema('Please enter a valid email')),
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

export const undoChangeSchema = z.object({ token: z.string().check(z.minLength(1)) });

export const unsubscribeQuerySchema = z.object({ token: z.string().check(z.minLength(1)) });

/** Deletes the account in seven days, with the current password or a passkey. Its polls stay without a name, or are removed with their images. */
export const deletionInputSchema = z.object({
  password: z.optional(z.string()),
  passkey: z.optional(assertionSchema),
  polls: z.enum(['keep', 'remove']),
});
export type DeletionInput = z.infer<typeof deletionInputSchema>;

/** The file that a user has asked for, if any. `percent` grows while it is `waiting`; the file of a `ready` one is kept until `expiresAt`. */
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

/**
 * A login that lasts, as its user sees it: browser and system in words ('' if unknown), and the start of the address it was used
 * from. Dates are ISO 8601 UTC; `lastUsedAt` is precise to the hour. `current` is that of the request.
 */
export const sessionSchema = z.object({
  id: z.uuid(),
  device: z.string(),
  network: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  current: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;

export const sessionParamsSchema = z.object({ id: z.uuid('This session has ended already.') });

/** A response that is only a message to show to the user. */
export const messageSchema = z.object({ message: z.string() });
export type MessageResponse = z.infer<typeof messageSchema>;

export const loginInputSchema = z.object({
  username: z.string('Username is required').check(z.trim(), z.minLength(1, 'Username is required')),
  password: z.string('Password is required').check(z.minLength(1, 'Password is required')),
});
export type LoginInput = z.infer<typeof loginInputSchema>;

export const usernameAvailabilitySchema = z.object({ available: z.boolean(), message: z.string() });
export type UsernameAvailabilityResponse = z.infer<typeof usernameAvailabilitySchema>;
