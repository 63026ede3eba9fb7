import { posix } from 'node:path';
import { ALIASES, type ImportSite, type ResolvedImport, topFolder, type Violation } from './model.ts';

const EXTENSION = /\.(tsx?|css|json|svg|png|webp|woff2)$/;

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Whole specifier of a package's import, its name, or a file of the project; `null` says why not. */
function destination(
  from: string,
  specifier: string,
): { to: string } | { pkg: string } | { problem: string } {
  const alias = Object.keys(ALIASES).find((prefix) => specifier.startsWith(prefix));
  if (specifier.startsWith('#') && alias === undefined) {
    return {
      problem: `"${specifier}" is no alias; there are ${Object.keys(ALIASES)
        .map((prefix) => `${prefix}*`)
        .join(' ')}`,
    };
  }
  if (alias !== undefined) return { to: posix.normalize(ALIASES[alias] + specifier.slice(alias.length)) };
  if (/^\.\.?(\/|$)/.test(specifier)) {
    const to = posix.normalize(posix.join(posix.dirname(from), specifier));
    if (specifier.includes('..')) {
      return {
        problem: `"${specifier}" climbs out of its folder; write #${to} (aliases across folders, no ../)`,
      };
    }
    return { to };
  }
  if (specifier.startsWith('/')) return { problem: `"${specifier}" is absolute; use an alias` };
  return { pkg: packageName(specifier) };
}

/**
 * Where an import leads, by the house's rules: same folder and below by `./`, elsewhere by an alias, always with
 * the extension, and only to files that exist.
 */
export function resolveImport(
  from: string,
  site: ImportSite,
  exists: (path: string) => boolean,
): { found: ResolvedImport } | { violation: Violation } {
  const specifier = site.specifier.replace(/\?.*$/, '');
  const violation = (message: string) => ({ violation: { path: from, line: site.line, message } });
  const target = destination(from, specifier);
  if ('problem' in target) return violation(target.problem);
  if ('pkg' in target) return { found: { ...site, to: null, pkg: target.pkg } };
  if (!EXTENSION.test(target.to)) return violation(`"${specifier}" lacks its file extension (write ./x.ts)`);
  if (!exists(target.to)) return violation(`"${specifier}" leads to ${target.to}, which does not exist`);
  const isAlias = specifier.startsWith('#');
  if (isAlias && posix.dirname(from) === posix.dirname(target.to) && topFolder(from) !== '') {
    return violation(`"${specifier}" is in the same folder; write ./${posix.basename(target.to)}`);
  }
  return { found: { ...site, to: target.to, pkg: null } };
}
