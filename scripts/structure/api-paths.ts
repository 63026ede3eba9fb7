const PRODUCT = /^(?:shared|sync|api|app)\//;
/** The contract itself, tests, and the worker, which names all paths of the API to leave them alone. */
const EXEMPT = /\/contract\.ts$|\.test\.tsx?$|\/testing\/|^sync\/worker\/bypass\.ts$/;
const WRITTEN_PATH = /["'`]\/api\/[\w{$*-]/;

/** Why the file at `path` must not write out a path of the API as it does, or null. */
export function writtenApiPath(path: string, text: string): string | null {
  if (!PRODUCT.test(path) || EXEMPT.test(path) || !WRITTEN_PATH.test(text)) return null;
  return 'writes out a path of the API: take it from the call in shared/<noun>/contract.ts';
}
