import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';
import { readUploadForm } from './image-form.ts';

const UPLOAD_URL = 'http://localhost/upload';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'uploads-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function read(request: Request) {
  return readUploadForm(request, { folder, fileFields: ['one', 'two'], filesMax: 2 });
}

/** A request with a form as its bytes: with the form itself, Node would throw an uncaught error when reading stops early. */
async function requestWith(form: FormData): Promise<Request> {
  const whole = new Request(UPLOAD_URL, { method: 'POST', body: form });
  const { headers } = whole;
  return new Request(UPLOAD_URL, { method: 'POST', body: await whole.arrayBuffer(), headers });
}

/** A request whose body is sent piece by piece, without a length. */
function streamedRequest(pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>): Request {
  const bytes = (async function* () {
    for await (const piece of pieces) yield Buffer.from(piece);
  })();
  const body = new ReadableStream({
    async pull(controller) {
      const next = await bytes.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const init = { method: 'POST', body, headers, duplex: 'half' };
  return new Request(UPLOAD_URL, init as RequestInit);
}

const filePart = (name: string) =>
  `--xx\r\nContent-Disposition: form-data; name="${name}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;

async function errorCodeOf(request: Request): Promise<string> {
  const error = await read(request).then(
    () => new Error('succeeded'),
    (reason: unknown) => reason,
  );
  expect(await readdir(folder)).toEqual([]);
  return error instanceof AppError ? error.code : String(error);
}

describe('a form', () => {
  test('is parsed into fields and files, with the hash of each file', async () => {
    const bytes = Buffer.alloc(300_000, 7);
    const form = new FormData();
    form.set('question', 'Zürich or Genève? 🏔');
    form.set('one', new Blob([bytes]), 'ä photo.jpg');
    const upload = await read(await requestWith(form));
    expect(upload.fields).toEqual(new Map([['question', 'Zürich or Genève? 🏔']]));
    const [file] = upload.files;
    expect(file).toMatchObject({ field: 'one', filename: 'ä photo.jpg', bytes: 300_000 });
    expect(file?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(await readFile(file?.path ?? '')).toEqual(bytes);
    await upload.cleanup();
    expect(await readdir(folder)).toEqual([]);
  });

  test('may contain unknown files, which are skipped, and any fields', async () => {
    const form = new FormData();
    form.set('virus', new Blob([Buffer.alloc(200_000)]), 'virus.exe');
    form.set('one', new Blob(['x']), 'one.jpg');
    form.set('__proto__', 'polluted');
    const upload = await read(await requestWith(form));
    expect(upload.files.map((file) => file.field)).toEqual(['one']);
    expect(upload.fields).toEqual(new Map([['__proto__', 'polluted']]));
    expect(await readdir(folder)).toHaveLength(1);
    await upload.cleanup();
  });

  test('with an empty file input does not contain that file', async () => {
    const empty = '--xx\r\nContent-Disposition: form-data; name="one"; filename=""\r\n\r\n\r\n--xx--\r\n';
    const upload = await read(streamedRequest([empty]));
    expect(upload.files).toEqual([]);
    await upload.cleanup();
  });

  test('is parsed correctly even if it arrives byte by byte', async () => {
    const whole = `${filePart('one')}\r\n--x not the end\r\n--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--xx--\r\n`;
    const upload = await read(streamedRequest(whole.split('')));
    expect(upload.fields.get('a')).toBe('b');
    expect(await readFile(upload.files[0]?.path ?? '', 'utf8')).toBe('\r\n--x not the end');
    await upload.cleanup();
  });
});

describe('a form is rejected without leaving a file', () => {
  test('as soon as a file has more than 5 MiB', async () => {
    const exact = new FormData();
    exact.set('one', new Blob([Buffer.alloc(IMAGE_MAX_BYTES)]), 'a.jpg');
    const upload = await read(await requestWith(exact));
    expect(upload.files[0]?.bytes).toBe(IMAGE_MAX_BYTES);
    await upload.cleanup();

    const piece = Buffer.alloc(65_536);
    let pieces = 0;
    async function* endless() {
      yield filePart('one');
      for (; pieces < 1_600; pieces += 1) yield piece;
    }
    expect(await errorCodeOf(streamedRequest(endless()))).toBe('too_large');
    // The maximum is 80 pieces; buffers take some more.
    expect(pieces).toBeLessThan(120);
  });

  test('when the whole form is too large, by its Content-Length or because of files that are skipped', async () => {
    const withLength = streamedRequest([filePart('one')]);
    withLength.headers.set('content-length', '104857600');
    expect(await errorCodeOf(withLength)).toBe('too_large');

    let pieces = 0;
    async function* manyFiles() {
      for (; pieces < 100; pieces += 1) {
        yield filePart('unknown');
        yield Buffer.alloc(1_000_000);
        yield '\r\n';
      }
    }
    expect(await errorCodeOf(streamedRequest(manyFiles()))).toBe('too_large');
    expect(pieces).toBeLessThan(20);
  });

  test('when it has too many parts or files, a field twice, or a field that is too long', async () => {
    const many = new FormData();
    for (let part = 0; part < 300; part += 1) many.append(`field-${part}`, 'x');
    expect(await errorCodeOf(await requestWith(many))).toBe('invalid_input');
    const twice = new FormData();
    twice.append('question', 'a');
    twice.append('question', 'b');
    expect(await errorCodeOf(await requestWith(twice))).toBe('invalid_input');
    const long = new FormData();
    long.append('question', 'a'.repeat(20_000));
    expect(await errorCodeOf(await requestWith(long))).toBe('invalid_input');
    const files = new FormData();
    for (const _ of [1, 2, 3]) files.append('one', new Blob(['x']), 'x.jpg');
    expect(await errorCodeOf(await requestWith(files))).toBe('invalid_input');
  });

  test('when it is truncated, has no closing boundary, or is not multipart', async () => {
    expect(await errorCodeOf(streamedRequest([filePart('one'), Buffer.alloc(100_000)]))).toBe(
      'invalid_input',
    );
    expect(await errorCodeOf(streamedRequest(['nothing of the kind']))).toBe('invalid_input');
    expect(await errorCodeOf(streamedRequest(['--xx\r\n']))).toBe('invalid_input');
    const json = new Request(UPLOAD_URL, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await errorCodeOf(json)).toBe('unsupported_type');
    const noBoundary = new Request(UPLOAD_URL, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'multipart/form-data; charset=utf-8' },
    });
    expect(await errorCodeOf(noBoundary)).toBe('invalid_input');
  });

  test('when the client disconnects in the middle', async () => {
    async function* hangingUp() {
      yield filePart('one');
      yield Buffer.alloc(200_000);
      throw new Error('connection reset');
    }
    expect(await errorCodeOf(streamedRequest(hangingUp()))).toBe('invalid_input');
  });
});

test('reading a form throws the system error when the folder cannot be written', async () => {
  const form = new FormData();
  form.set('one', new Blob([Buffer.alloc(200_000)]), 'a.jpg');
  const whole = await requestWith(form);
  const file = join(folder, 'file');
  await writeFile(file, '');
  for (const [unwritable, code] of [
    [join(folder, 'missing'), 'ENOENT'],
    [file, 'ENOTDIR'],
  ] as const) {
    const reading = readUploadForm(whole.clone(), { folder: unwritable, fileFields: ['one'], filesMax: 1 });
    await expect(reading).rejects.toMatchObject({ code, syscall: 'open' });
  }
});

describe('the admission of a form', () => {
  const FILE = Buffer.alloc(1_000_000, 7);
  const fieldPart = (name: string, value: string) =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  /** A form with fields before and after a file in the field `name`, and the number of bytes of the file that were read. */
  function formWith(name: string) {
    let fileBytesRead = 0;
    function* pieces() {
      yield fieldPart('id', '7') + filePart(name);
      for (let start = 0; start < FILE.length; start += 50_000) {
        fileBytesRead += 50_000;
        yield FILE.subarray(start, start + 50_000);
      }
      yield `\r\n${fieldPart('late', 'x')}--xx--\r\n`;
    }
    return { request: streamedRequest(pieces()), fileBytesRead: () => fileBytesRead };
  }

  test.each(['one', 'unknown'])(
    'ends the reading, when it throws, before a file in the field "%s"',
    async (name) => {
      for (const error of [new AppError('rate_limited'), new Error('the database is away')]) {
        const { request, fileBytesRead } = formWith(name);
        const admitted: string[][] = [];
        const admit = async (fields: ReadonlyMap<string, string>) => {
          admitted.push([...fields.keys()]);
          throw error;
        };
        const reading = readUploadForm(request, { folder, fileFields: ['one'], filesMax: 1, admit });
        await expect(reading).rejects.toBe(error);
        expect(admitted).toEqual([['id']]);
        expect(fileBytesRead()).toBeLessThan(FILE.length / 2);
        expect(await readdir(folder)).toEqual([]);
      }
    },
  );

  test('is awaited once, then the whole form is read', async () => {
    const { request } = formWith('one');
    let calls = 0;
    const admit = async () => {
      calls += 1;
    };
    const upload = await readUploadForm(request, { folder, fileFields: ['one'], filesMax: 1, admit });
    expect([calls, upload.files[0]?.bytes, upload.fields.get('late')]).toEqual([1, FILE.length, 'x']);
    await upload.cleanup();
  });

  test('gets all fields when the form has no file', async () => {
    const request = streamedRequest([`${fieldPart('id', '7')}${fieldPart('late', 'x')}--xx--\r\n`]);
    const admit = async (fields: ReadonlyMap<string, string>) => {
      throw new AppError('rate_limited', { message: [...fields.keys()].join() });
    };
    const reading = readUploadForm(request, { folder, fileFields: ['one'], filesMax: 1, admit });
    await expect(reading).rejects.toMatchObject({ code: 'rate_limited', message: 'id,late' });
  });
});
