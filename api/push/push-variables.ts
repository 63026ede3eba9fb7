import * as z from 'zod/mini';
import { parseUrl } from '#api/db/postgres/database-variables.ts';
import { toVapidKeys } from './vapid.ts';

// Lengths of VAPID keys (RFC 8292) in base64url: an uncompressed point of P-256 (65 bytes), and a private key (32 bytes).
const PUBLIC_KEY_LENGTH = 87;
const PRIVATE_KEY_LENGTH = 43;

const vapidKeySchema = (length: number) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^[\\w-]{${length}}$`), `must be ${length} letters, digits, - or _ (base64url)`),
    );

const vapidSubjectSchema = z.string().check(
  z.refine((text) => {
    const url = parseUrl(text);
    return url?.protocol === 'https:' || (url?.protocol === 'mailto:' && url.pathname.includes('@'));
  }, 'must be a URL such as mailto:hello@polls.example.org, or an https URL'),
);

/** The schemas of the push variables, each separately; `problemsOfPush` checks them together. */
export const pushVariables = {
  VAPID_PUBLIC_KEY: z.optional(vapidKeySchema(PUBLIC_KEY_LENGTH)),
  VAPID_PRIVATE_KEY: z.optional(vapidKeySchema(PRIVATE_KEY_LENGTH)),
  VAPID_SUBJECT: z.optional(vapidSubjectSchema),
};

type Values = { [Name in keyof typeof pushVariables]?: string | undefined };

/** The problems of the combination of variables, one line each. */
export function problemsOfPush(variables: Readonly<Record<string, string | undefined>>): string[] {
  return isKeyPair(variables.VAPID_PUBLIC_KEY, variables.VAPID_PRIVATE_KEY)
    ? []
    : ['VAPID_PUBLIC_KEY: must be the public key of VAPID_PRIVATE_KEY, or both unset'];
}

/** The VAPID keys and the subject that the variables set. */
export function pushSettings(values: Values) {
  return {
    /** If null, the keys in the database are used. */
    keys: values.VAPID_PRIVATE_KEY === undefined ? null : toVapidKeys(values.VAPID_PRIVATE_KEY),
    subject: values.VAPID_SUBJECT ?? null,
  };
}

/** Whether two keys are a pair, or both are unset. */
function isKeyPair(publicKey: string | undefined, privateKey: string | undefined): boolean {
  if (publicKey === undefined || privateKey === undefined) return publicKey === privateKey;
  try {
    return toVapidKeys(privateKey).publicKey === publicKey;
  } catch {
    return false;
  }
}
