import type { Violation } from './model.ts';

/** Import cycles, each told once, at its alphabetically first file. `graph`: a file and what it imports. */
export function checkCycles(graph: ReadonlyMap<string, readonly string[]>): Violation[] {
  const found = new Map<string, Violation>();
  const done = new Set<string>();

  function visit(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path);
    if (start !== -1) report(trail.slice(start));
    if (start !== -1 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  }

  function report(cycle: readonly string[]): void {
    const first = cycle.reduce((least, path) => (path < least ? path : least));
    const at = cycle.indexOf(first);
    const ring = [...cycle.slice(at), ...cycle.slice(0, at), first].join(' -> ');
    const message = `imports itself in a ring: ${ring}; move what both need into a file of its own`;
    found.set(ring, { path: first, line: 1, message });
  }

  for (const path of [...graph.keys()].sort()) visit(path, []);
  return [...found.values()];
}
