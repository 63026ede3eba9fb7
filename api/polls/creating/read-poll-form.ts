import { AppError } from '#api/errors.ts';
import { parseInput } from '#api/http/read-input.ts';
import { fingerprintOf } from '#api/http/receipts.ts';
import { readUploadForm, type UploadedFile } from '#api/images/image-form.ts';
import { pollIdSchema } from '#shared/http.ts';
import { IMAGES_REQUIRED_MESSAGE } from '#shared/polls/constants.ts';
import { createPoll } from '#shared/polls/contract.ts';
import type { CreatePollFields } from '#shared/polls/schema.ts';

const TEXT_FIELDS = [
  'id',
  'question',
  'option1Caption',
  'option2Caption',
  'duration',
  'responsesWanted',
] as const;
export const IMAGE_FIELDS = createPoll.form.files;

/** The form of a new poll, received but not checked. */
export type PollForm = Awaited<ReturnType<typeof readPollForm>>;

/**
 * Receives the form and stores its images in `folder`. Before the images are read, `admit` is called with the poll id, which is
 * null if it is absent, invalid or follows the images. Throws `too_large`, `invalid_input`, `unsupported_type`, and what
 * `admit` throws.
 */
export async function readPollForm(
  request: Request,
  folder: string,
  admit: (pollId: string | null) => Promise<void>,
) {
  const form = await readUploadForm(request, {
    folder,
    admit: (fields) => admit(readId(fields)),
    fileFields: IMAGE_FIELDS,
    filesMax: IMAGE_FIELDS.length,
  });
  const texts = TEXT_FIELDS.map((name) => form.fields.get(name) ?? null);
  const files = IMAGE_FIELDS.flatMap((name) => form.files.filter(({ field }) => field === name));
  const hashes = files.map(({ field, sha256 }) => `${field} ${sha256}`);

  return {
    /** Equal for requests with the same fields and images. */
    fingerprint: fingerprintOf([...texts, ...hashes]),
    /** The poll id chosen by the client, if valid. */
    id: readId(form.fields),
    /** Returns fields and images. Throws `invalid_input`. */
    check(): { fields: CreatePollFields; images: [UploadedFile, UploadedFile] } {
      const fields = parseInput(createPoll.form.fields, Object.fromEntries(form.fields));
      // At most two images are read (`filesMax`): if each field has one, neither has a second.
      const [image1, image2] = IMAGE_FIELDS.map((name) => files.find(({ field }) => field === name));
      if (image1 === undefined || image2 === undefined) {
        const message = IMAGES_REQUIRED_MESSAGE;
        const path = IMAGE_FIELDS[image1 === undefined ? 0 : 1];
        throw new AppError('invalid_input', { message, issues: [{ path, message }] });
      }
      return { fields, images: [image1, image2] };
    },
    /** Removes the stored images. */
    cleanup: form.cleanup,
  };
}

function readId(fields: ReadonlyMap<string, string>): string | null {
  const id = pollIdSchema.safeParse(fields.get('id'));
  return id.success ? id.data.toLowerCase() : null;
}
