import { and, count, eq, max } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { passkeys, recoveryCodes } from '#api/db/schema/passkeys.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { Env } from '#api/env.ts';
import { AppError } from '#api/errors.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { isAdmin } from '#shared/accounts/rules.ts';

export type PasskeyEnv = Pick<Env, 'isAdminPasskeyRequired'>;

export type SecondStepUser = Pick<UserRow, 'id' | 'isAdmin' | 'secondStep'>;

/** Whether this installation requires the second step of this user, regardless of their setting. */
export function isSecondStepRequired(env: PasskeyEnv, user: SecondStepUser): boolean {
  return env.isAdminPasskeyRequired && isAdmin(user);
}

/** Whether a login of this user by password needs a passkey or recovery code, too. */
export async function hasSecondStep(env: PasskeyEnv, handle: Handle, user: SecondStepUser): Promise<boolean> {
  if (!user.secondStep && !isSecondStepRequired(env, user)) return false;
  return (await countPasskeys(handle, user.id)) > 0;
}

export async function countPasskeys({ orm }: Handle, userId: number): Promise<number> {
  const [row] = await orm.select({ all: count() }).from(passkeys).where(eq(passkeys.userId, userId));
  return row?.all ?? 0;
}

/** Throws `no_passkey` if the user has no passkey. */
export async function requireAnyPasskey(handle: Handle, userId: number): Promise<void> {
  if ((await countPasskeys(handle, userId)) === 0) throw new AppError('no_passkey');
}

/** The passkeys of a user as `PublicKeyCredentialDescriptorJSON`, for the options of a browser. */
export async function passkeyDescriptors({ orm }: Handle, userId: number) {
  const rows = await orm
    .select({ id: passkeys.credentialId, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(passkeys.createdAt, passkeys.id);
  return rows.map(({ id, transports }) => ({
    id,
    type: 'public-key' as const,
    transports: transports.split(',').filter((transport) => transport !== ''),
  }));
}

/** The passkey with this credential id, or null. With `userId`, only if it belongs to that user. */
export async function findPasskey({ orm }: Handle, credentialId: string, userId?: number) {
  const isTheirs = userId === undefined ? undefined : eq(passkeys.userId, userId);
  const [row] = await orm
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.credentialId, credentialId), isTheirs));
  return row ?? null;
}

/** The passkeys of a user and the state of their second step and recovery codes, as the API shows them. */
export async function readPasskeys(env: PasskeyEnv, handle: Handle, userId: number): Promise<PasskeyList> {
  const user = await requireUserRow(handle, userId);
  const rows = await handle.orm
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(passkeys.createdAt, passkeys.id);
  const [codes] = await handle.orm
    .select({ unused: count(), madeAt: max(recoveryCodes.createdAt) })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId));
  const isRequired = isSecondStepRequired(env, user);
  const madeAt = codes?.madeAt ?? null;
  return {
    passkeys: rows.map(({ id, name, createdAt, lastUsedAt, isBackedUp }) => ({
      id,
      name,
      createdAt: toIsoDate(createdAt),
      lastUsedAt: lastUsedAt === null ? null : toIsoDate(lastUsedAt),
      isBackedUp,
    })),
    secondStep: rows.length > 0 && (user.secondStep || isRequired),
    secondStepRequired: isRequired,
    recoveryCodesLeft: codes?.unused ?? 0,
    recoveryCodesMadeAt: madeAt === null ? null : toIsoDate(madeAt),
  };
}
