import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AppError } from '#api/errors.ts';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';

const MEBIBYTE = 1024 * 1024;
const FIELD_MAX_BYTES = 10_000;
/** More than the largest form has: that of a bulk upload, with 100 images and a few fields. */
const PARTS_MAX = 200;
const PART_HEADERS_MAX = 20;
const PART_HEADER_MAX_BYTES = 4_096;
/** Allowance for the fields and the headers of the parts. */
const FORM_OVERHEAD_BYTES = MEBIBYTE;

/** A file of a form, spooled to the disk. `sha256` is in hex. */
export type UploadedFile = { field: string; filename: string; path: string; bytes: number; sha256: string };

export type UploadOptions = {
  folder: string;
  fileFields: readonly string[];
  filesMax: number;
  /** Returns how an error message names a file, given its file name. Without it, messages name no file. */
  nameFile?: (filename: string) => string;
  /**
   * Called once, before any file is read, with the fields that precede the first file (all fields when there is no file). An
   * error that it throws stops the reading.
   */
  admit?: (fields: ReadonlyMap<string, string>) => Promise<void>;
};

const tooLarge = (message: string) => new AppError('too_large', { message });
const badForm = (message: string) => new AppError('invalid_input', { message });

function limitBytes(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge('This upload is too large'));
      else done(null, chunk);
    },
  });
}

async function spool(field: string, filename: string, file: BusboyFileStream, path: string) {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  // Opened first: a write stream that is destroyed while it opens its file would still create it, after the cleanup.
  const handle = await open(path, 'wx');
  await pipeline(file, measured, handle.createWriteStream());
  return { field, filename, path, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads a multipart form as a stream. Files of `fileFields` are spooled to `folder`, other files are skipped; a file of
 * more than 5 MiB ends the reading at once. Throws `unsupported_type` (not multipart), `invalid_input` (unreadable, or a
 * field twice), `too_large` (a file or the whole form), what `admit` throws, and system errors when `folder` cannot be
 * written. No file is left behind when it throws.
 */
export async function readUploadForm(request: Request, options: UploadOptions) {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type) || request.body === null) {
    throw new AppError('unsupported_type', { message: 'Send this as multipart/form-data' });
  }
  const totalMaxBytes = options.filesMax * IMAGE_MAX_BYTES + FORM_OVERHEAD_BYTES;
  if (Number(request.headers.get('content-length') ?? 0) > totalMaxBytes) {
    throw tooLarge('This upload is too large');
  }

  /** The text fields, by name. */
  const fields = new Map<string, string>();
  const spooling: Promise<UploadedFile>[] = [];
  const paths: string[] = [];
  const openFiles = new Set<BusboyFileStream>();
  /** Removes the spooled files. After a successful read, the caller must call it, even if it fails to process the form. */
  const cleanup = async (): Promise<void> => {
    await Promise.allSettled(spooling);
    // The sweep removes what cannot be removed now.
    await Promise.allSettled(paths.map((path) => rm(path, { force: true })));
  };
  /** An error that the form did not cause, of `admit` or the file system: thrown instead of `invalid_input`. */
  let unrelatedError: Error | null = null;
  let admission: Promise<void> | null = null;
  const admitOnce = () => {
    admission ??= (options.admit?.(fields) ?? Promise.resolve()).catch((error: Error) => {
      unrelatedError ??= error;
      throw error;
    });
    return admission;
  };

  try {
    const form = openForm(type);
    form.on('field', (name, value, _isNameTruncated, isValueTruncated) => {
      if (name === undefined) return;
      if (fields.has(name)) form.destroy(badForm(`The field ${name} occurs twice`));
      else if (isValueTruncated) form.destroy(badForm(`The field ${name} is too long`));
      else fields.set(name, value);
    });
    form.on('file', (name, file, filename) => {
      // Without a listener, an error of a skipped file would be uncaught.
      file.on('error', () => {});
      const prefix = options.nameFile === undefined ? '' : `${options.nameFile(filename ?? '')}: `;
      file.on('limit', () => form.destroy(tooLarge(`${prefix}An image has at most 5 MB`)));
      if (name === undefined || !options.fileFields.includes(name)) {
        const skip = () => void file.resume();
        return void admitOnce().then(skip, (error: Error) => form.destroy(error));
      }
      if (spooling.length === options.filesMax) return void form.destroy(badForm('There are too many files'));
      const path = join(options.folder, `${randomUUID()}.upload`);
      paths.push(path);
      const spooled = admitOnce().then(() => spool(name, filename ?? '', file, path));
      spooled.catch((error: Error) => {
        if ('syscall' in error) unrelatedError ??= error;
        form.destroy(error);
      });
      spooling.push(spooled);
      openFiles.add(file);
      file.once('close', () => openFiles.delete(file));
    });
    // Otherwise the cleanup of an aborted form would wait forever for the end of these files.
    form.once('close', () => {
      for (const file of openFiles) file.destroy();
    });
    form.on('partsLimit', () => form.destroy(badForm('There are too many fields')));
    await pipeline(Readable.fromWeb(request.body as never), limitBytes(totalMaxBytes), form);
    await admitOnce();
    /** The files in the order of the form, without empty file inputs. */
    const files = (await Promise.all(spooling)).filter((file) => file.filename !== '' || file.bytes > 0);
    return { fields, files, cleanup };
  } catch (error) {
    await cleanup();
    if (error instanceof AppError) throw error;
    if (unrelatedError !== null) throw unrelatedError;
    throw new AppError('invalid_input', { message: 'The upload could not be read', cause: error });
  }
}

function openForm(contentType: string) {
  return new Busboy({
    headers: { 'content-type': contentType },
    limits: {
      fileSize: IMAGE_MAX_BYTES,
      fieldSize: FIELD_MAX_BYTES,
      parts: PARTS_MAX,
      headerPairs: PART_HEADERS_MAX,
      headerSize: PART_HEADER_MAX_BYTES,
    },
  });
}
