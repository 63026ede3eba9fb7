import { moveImages } from '#api/images/move-images.ts';
import { openBothStorages } from '#api/storage/open-image-storage.ts';
import { PRIVATE_UMASK } from './data-folders.ts';
import { EnvError, readEnv } from './env.ts';
import { AppError } from './errors.ts';

const PROGRESS_INTERVAL_MS = 2_000;

process.umask(PRIVATE_UMASK);
try {
  const env = readEnv();
  if (env.s3 === null) throw new EnvError(['S3_ENDPOINT: must be set, with the other variables S3_…']);
  const { into, from } = await openBothStorages({ ...env, s3: env.s3 });
  const place = env.imageStorage === 's3' ? `the bucket ${env.s3.bucket}` : env.dataDir;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const moved = await moveImages({
    into,
    from,
    onProgress: ({ done, total, bytes }) => {
      if (done < total && performance.now() - reportedAtMs < PROGRESS_INTERVAL_MS) return;
      reportedAtMs = performance.now();
      process.stdout.write(`${done} of ${total} files, ${Math.round(bytes / 1_000_000)} MB\n`);
    },
  });
  process.stdout.write(`${moved} files of images were moved into ${place}.\n`);
} catch (error) {
  const advice = error instanceof EnvError ? '' : ' Run it again to continue.';
  process.stderr.write(`${explain(error)}.${advice}\n`);
  process.exitCode = 1;
}

/** The messages of the storage or the system, instead of the message for users. */
function explain(error: unknown): string {
  const messages: string[] = [];
  let cause = error instanceof AppError ? error.cause : error;
  while (cause instanceof Error) {
    messages.push(cause.message.replace(/\.$/, ''));
    cause = cause.cause;
  }
  return messages.join(': ');
}
