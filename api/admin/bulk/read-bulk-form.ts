import { AppError } from '#api/errors.ts';
import { parseInput } from '#api/http/read-input.ts';
import { readUploadForm } from '#api/images/image-form.ts';
import { BULK_FILES_MAX, EVEN_IMAGE_COUNT_MESSAGE, NO_FILES_MESSAGE } from '#shared/admin/constants.ts';
import { uploadPolls } from '#shared/admin/contract.ts';

const [IMAGES_FIELD] = uploadPolls.form.files;
const NAME_MAX_LENGTH = 100;

export type BulkForm = Awaited<ReturnType<typeof readBulkForm>>;

/**
 * Receives the form of a bulk upload and spools its images to `folder`. Throws `too_large` (naming the image), `invalid_input`
 * or `unsupported_type`, after removing the spooled files.
 */
export async function readBulkForm(request: Request, folder: string) {
  const { fields, files, cleanup } = await readUploadForm(request, {
    folder,
    fileFields: [IMAGES_FIELD],
    filesMax: BULK_FILES_MAX,
    nameFile: sanitiseFilename,
  });
  try {
    const parsed = parseInput(uploadPolls.form.fields, Object.fromEntries(fields));
    if (files.length === 0) throw badImages(NO_FILES_MESSAGE);
    if (files.length % 2 === 1) throw badImages(EVEN_IMAGE_COUNT_MESSAGE);
    const images = files.map((file) => ({ ...file, filename: sanitiseFilename(file.filename) }));
    return {
      fields: parsed,
      /** An even number of images, in the order of the form. */
      images,
      /** Removes the spooled files that still exist. */
      cleanup,
    };
  } catch (error) {
    await cleanup();
    throw error;
  }
}

function badImages(message: string): AppError {
  return new AppError('invalid_input', { message, issues: [{ path: IMAGES_FIELD, message }] });
}

/** A file name that can be stored and shown: without control characters, and not too long. */
function sanitiseFilename(filename: string): string {
  const plain = filename
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, NAME_MAX_LENGTH)
    // The last character may be half of a surrogate pair.
    .toWellFormed()
    .trim();
  return plain === '' ? 'An image' : plain;
}
