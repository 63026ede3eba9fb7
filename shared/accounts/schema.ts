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

/** The fields of their own account that users can change. Absent fields are left unchanged. */
export const updateUserSchema = z.object({
  username: z.optional(usernameSchema),
  email: z.optional(emailSchema('Please enter a valid email')),
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
