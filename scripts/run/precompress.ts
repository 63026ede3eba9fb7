import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

const TEXT = /\.(html|js|css|json|svg|webmanifest|txt|xml)$/;
/** Smaller files are not compressed, since their response fits into one packet anyway. */
const COMPRESSED_MIN_BYTES = 512;

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < COMPRESSED_MIN_BYTES) return;
  const brotli = await brotliAsync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const gzipped = await gzipAsync(bytes, { level: constants.Z_BEST_COMPRESSION });
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}

/**
 * Writes `x.br` and `x.gz`, at the highest quality, beside every text file `x` of at least `COMPRESSED_MIN_BYTES` in `folder`
 * and its subfolders, after deleting old ones.
 */
export async function precompress(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(paths.filter((path) => /\.(br|gz)$/.test(path)).map((path) => rm(path)));
  await Promise.all(paths.filter((path) => TEXT.test(path)).map(compressFile));
}
