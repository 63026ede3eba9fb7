import * as z from 'zod/mini';

/** A bucket of S3-compatible storage, with its credentials. */
export type S3Settings = {
  /** An origin, without a trailing slash. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

const matching = (pattern: RegExp, message: string) =>
  z.optional(z.string().check(z.regex(pattern, message)));

/** The schema of each variable of the storage of images. */
export const imageStorageVariables = {
  S3_ENDPOINT: z.optional(
    z
      .string()
      .check(
        z.refine(
          isOrigin,
          'must be an origin such as https://s3.eu-central-1.amazonaws.com, without the bucket',
        ),
      ),
  ),
  S3_BUCKET: matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
  S3_REGION: matching(/^[\w-]{1,64}$/, 'must be a region such as eu-central-1, or auto'),
  S3_ACCESS_KEY_ID: matching(/^[\x21-\x7e]{1,128}$/, 'must be the id of an access key'),
  S3_SECRET_ACCESS_KEY: matching(/^[\x21-\x7e]{1,256}$/, 'must be the secret of an access key'),
  IMAGE_STORAGE: z.optional(z.enum(['folder', 's3'], 'must be folder or s3')),
};

const S3_NAMES = [
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const;

type Values = z.output<z.ZodMiniObject<typeof imageStorageVariables>>;

/** The problems of the combination of variables, one line each. */
export function problemsOfImageStorage(variables: Readonly<Record<string, string | undefined>>): string[] {
  const missing = S3_NAMES.filter((name) => variables[name] === undefined);
  if (missing.length === S3_NAMES.length) {
    return variables.IMAGE_STORAGE === 's3'
      ? ['IMAGE_STORAGE: can be s3 only when the variables S3_… are set']
      : [];
  }
  if (missing.length === 0) return [];
  return [`${missing.join(', ')}: must be set when other variables S3_… are`];
}

/** The storage of images that the variables describe: where new images are stored, and the bucket if there is one. */
export function readImageStorage(values: Values) {
  const s3: S3Settings | null =
    values.S3_ENDPOINT === undefined
      ? null
      : {
          endpoint: new URL(values.S3_ENDPOINT).origin,
          bucket: values.S3_BUCKET ?? '',
          region: values.S3_REGION ?? '',
          accessKeyId: values.S3_ACCESS_KEY_ID ?? '',
          secretAccessKey: values.S3_SECRET_ACCESS_KEY ?? '',
        };
  return { s3, imageStorage: values.IMAGE_STORAGE ?? (s3 === null ? ('folder' as const) : ('s3' as const)) };
}

/** Whether a text is an origin such as `https://example.org`, with or without a slash at its end. */
export function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
