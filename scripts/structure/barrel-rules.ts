import type { ParsedFile, Violation } from './model.ts';

/** No barrels: a name is imported from the file that defines it. */
export function checkBarrels(file: ParsedFile): Violation[] {
  const found: Violation[] = file.reexports.map(({ line, what }) => ({
    path: file.path,
    line,
    message: `passes "${what}" on from another file; import it from where it is defined`,
  }));
  if (/(^|\/)index\.(ts|tsx|js)$/.test(file.path)) {
    found.push({
      path: file.path,
      line: 1,
      message: 'is an index file; name it after what it does (no barrels)',
    });
  }
  return found;
}
