const SUFFIX = '-next';
/** Assets whose names contain a hash of their content. */
const HASHED_ASSET = /([\w.]-[\w-]{8})(\.(?:js|css))\b/g;
const NEXT_ASSET = /-next(\.(?:js|css))$/;

/** The path in the current build of a file of the next build; null for an asset that the next build does not have. */
export function currentPath(path: string): string | null {
  if (!/^\/assets\/.*\.(js|css)$/.test(path)) return path;
  return NEXT_ASSET.test(path) ? path.replace(NEXT_ASSET, '$1') : null;
}

/** Turns a file of the current build into one of the next build, in which all assets have new names. */
export function asNextBuild(path: string, text: string): string {
  const renamed = text.replace(HASHED_ASSET, `$1${SUFFIX}$2`);
  if (path !== '/sw.js') return renamed;
  // The list of precached files has a revision for each file whose name contains no hash. Files with a new one are fetched again.
  return renamed.replace(/"revision":"[0-9a-f]{8}/g, '"revision":"ffffffff');
}
