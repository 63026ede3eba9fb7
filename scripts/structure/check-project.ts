import { checkBarrels } from './barrel-rules.ts';
import { checkCoverage } from './coverage-rules.ts';
import { checkCycles } from './cycle-rules.ts';
import { checkFolders } from './folder-rules.ts';
import { checkEnvironment, checkLayers } from './layer-rules.ts';
import type { ResolvedImport, Violation } from './model.ts';
import { parseFile } from './parse-file.ts';
import { resolveImport } from './resolve-import.ts';
import { checkSize } from './size-rules.ts';
import { checkExportName, checkPlace } from './vocabulary-rules.ts';

const SOURCE = /\.tsx?$/;

/**
 * Checks a whole project, given as the paths of all its files (relative, forward slashes) and their texts
 * (needed of `.ts` and `.tsx` files and of the table of coverage only). Answers the violations in the order of paths and lines.
 */
export function checkProject(files: ReadonlyMap<string, string>): Violation[] {
  const violations: Violation[] = [];
  const graph = new Map<string, string[]>();

  for (const [path, text] of files) {
    violations.push(...checkPlace(path));
    if (!SOURCE.test(path)) continue;
    const file = parseFile(path, text);
    const imports: ResolvedImport[] = [];
    for (const site of file.imports) {
      const answer = resolveImport(path, site, (target) => files.has(target));
      if ('found' in answer) imports.push(answer.found);
      else violations.push(answer.violation);
    }
    graph.set(
      path,
      imports.flatMap((site) => (site.to !== null && site.kind !== 'url' ? [site.to] : [])),
    );
    violations.push(
      ...checkFolders(path, imports),
      ...checkLayers(path, imports),
      ...checkEnvironment(file),
      ...checkBarrels(file),
      ...checkSize(file),
      ...checkExportName(file),
    );
  }

  violations.push(...checkCycles(graph), ...checkCoverage(files));
  return violations.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}
