/** What the checks need to know of one file; `path` is relative to the project's root, with forward slashes. */
export type ParsedFile = {
  path: string;
  lineCount: number;
  imports: readonly ImportSite[];
  reexports: readonly { line: number; what: string }[];
  exportNames: ReadonlySet<string>;
  /** Lines that read the environment. */
  environmentLines: readonly number[];
};

/** `url` is a worker or asset named by `new URL('./x.ts', import.meta.url)`. */
export type ImportKind = 'static' | 'type' | 'dynamic' | 'url';
export type ImportSite = { specifier: string; line: number; kind: ImportKind };

/** An import of which the checks know where it leads: a file of the project, or a package. */
export type ResolvedImport = ImportSite & ({ to: string; pkg: null } | { to: null; pkg: string });

export type Violation = { path: string; line: number; message: string };

export const ALIASES: Readonly<Record<string, string>> = {
  '#shared/': 'shared/',
  '#sync/': 'sync/',
  '#api/': 'api/',
  '#app/': 'app/',
  '#scripts/': 'scripts/',
};

export function topFolder(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** Tests, and what only tests use. */
export function isTestCode(path: string): boolean {
  const isTest = /\.(test|spec)\.tsx?$/.test(path);
  return isTest || path.includes('/testing/') || path.startsWith('e2e/') || path.startsWith('bench/');
}
