import { AppError } from '#api/errors.ts';
import { parseInput } from '#api/http/read-input.ts';
import { readUploadForm } from '#api/images/image-form.ts';
import { BULK_FILES_MAX, EVEN_IMAGE_COUNT_MESSAGE, NO_FILES_MESSAGE } from '#shared/admin/constants.ts';
import { uploadPolls } from '#shared/admin/contract.ts';

const [IMAGES_FIELD] = uploadPolls.form.files;
const NAME_MAX_LENGTH = 100;

export type BulkForm = Awaited<ReturnType<typeof readBulkForm>>;

/**
 * Receives the form of a bulk upload; its images are spooled to `folder`. Throws `too_large` (with the name of the
 * image), `invalid_input`, `unsupported_type`, and leaves nothing behind then.
 */
export async function readBulkForm(request: Request, folder: string) {
  const { fields, files, cleanup } = await readUploadForm(request, {
    folder,
    fileFields: [IMAGES_FIELD],
    filesMax: BULK_FILES_MAX,
    nameFile: fitName,
  });
  try {
    const parsed = parseInput(uploadPolls.form.fields, Object.fromEntries(fields));
    if (files.length === 0) throw badImages(NO_FILES_MESSAGE);
    if (files.length % 2 === 1) throw badImages(EVEN_IMAGE_COUNT_MESSAGE);
    const images = files.map((file) => ({ ...file, filename: fitName(file.filename) }));
    return {
      fields: parsed,
      /** An even number of them, in the order of the form. */
      images,
      /** Removes what of the spooled files is still there. */
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

/** What a file is called, fit to be stored and shown. */
function fitName(filename: string): string {
  const plain = filename
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, NAME_MAX_LENGTH)
    .toWellFormed()
    .trim();
  return plain === '' ? 'An image' : plain;
}
