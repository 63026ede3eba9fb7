const MARK = '-next';
/** Parts whose names have a hash of their content. */
const PART = /([\w.]-[\w-]{8})(\.(?:js|css))\b/g;
const MARKED_PART = /-next(\.(?:js|css))$/;

/** Where the present build has what the next one calls `path`; null for a part that only the present one has. */
export function presentPath(path: string): string | null {
  if (!/^\/assets\/.*\.(js|css)$/.test(path)) return path;
  return MARKED_PART.test(path) ? path.replace(MARKED_PART, '$1') : null;
}

/** A file of the present build as the next one has it: all parts have new names, and what keeps its name new content. */
export function asNextBuild(path: string, text: string): string {
  const renamed = text.replace(PART, `$1${MARK}$2`);
  if (path !== '/sw.js') return renamed;
  return renamed.replace(/"revision":"[0-9a-f]{8}/g, '"revision":"ffffffff');
}
