import type { ParsedFile, Violation } from './model.ts';

const MAX_LINES = 300;

/** Files that may be longer: how long, and why splitting would make them worse. */
const LONGER_FILES: Readonly<Record<string, { lines: number; why: string }>> = {};

/** A file reads in one sitting: 300 lines, unless the list above says why not. */
export function checkSize(file: ParsedFile, exceptions = LONGER_FILES): Violation[] {
  const limit = exceptions[file.path]?.lines ?? MAX_LINES;
  if (file.lineCount <= limit) return [];
  const message = `has ${file.lineCount} lines, more than ${limit}: split it by what its parts do, or ask for more in scripts/structure/size-rules.ts with a reason`;
  return [{ path: file.path, line: limit + 1, message }];
}
