import { brotliCompressSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** The most bytes of the script of the first screen, compressed with brotli. */
const FIRST_SCRIPT_MAX_BYTES = 83_000;

/** Why the script of the first screen, which is the entry with all chunks that it imports, is too large; null if it is not. */
export function budgetError(
  bundle: Rolldown.OutputBundle,
  maxBytes: number = FIRST_SCRIPT_MAX_BYTES,
): string | null {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const first = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of first)
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk);
  const bytes = [...first].reduce((sum, { code }) => sum + brotliCompressSync(code).length, 0);
  if (bytes <= maxBytes) return null;
  return `The script of the first screen has ${bytes} bytes (brotli), ${bytes - maxBytes} more than its budget of ${maxBytes}: load what it does not need later`;
}

/** Fails the build if the script of the first screen exceeds its budget. */
export function firstScriptBudget(): Plugin {
  return {
    name: 'first-script-budget',
    apply: 'build',
    // Only now do the chunks contain the final names of the others.
    writeBundle(_options, bundle) {
      const error = budgetError(bundle);
      if (error !== null) this.error(error);
    },
  };
}
