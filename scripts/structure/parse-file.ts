import { type EcmaScriptModule, parseSync, Visitor } from 'oxc-parser';
import type { ImportKind, ImportSite, ParsedFile } from './model.ts';

type StaticImport = EcmaScriptModule['staticImports'][number];

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

function kindOf(statement: StaticImport, text: string): ImportKind {
  if (/^import\s+type\b/.test(text.slice(statement.start, statement.end))) return 'type';
  const { entries } = statement;
  return entries.length > 0 && entries.every((entry) => entry.isType) ? 'type' : 'static';
}

type Program = ReturnType<typeof parseSync>['program'];

/** Workers are named by `new URL('./x.ts', import.meta.url)`, which is no import to a parser. */
function readExpressions(program: Program, lineAt: (offset: number) => number) {
  const urlImports: ImportSite[] = [];
  const environmentLines: number[] = [];
  new Visitor({
    NewExpression({ callee, arguments: [address], start }) {
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || address?.type !== 'Literal') return;
      const specifier = String(address.value);
      if (/^\..*\.tsx?$/.test(specifier)) urlImports.push({ specifier, line: lineAt(start), kind: 'url' });
    },
    MemberExpression({ object, property, start }) {
      const isProcess = object.type === 'Identifier' && object.name === 'process';
      if (isProcess && property.type === 'Identifier' && property.name === 'env') {
        environmentLines.push(lineAt(start));
      }
    },
  }).visit(program);
  return { urlImports, environmentLines };
}

/** Reads imports, exports and size out of the source text of a TypeScript file. Throws when it cannot be parsed. */
export function parseFile(path: string, text: string): ParsedFile {
  const parsed = parseSync(path, text);
  const [problem] = parsed.errors;
  if (problem) throw new Error(`${path}: ${problem.message}`);
  const lineAt = lineCounter(text);
  const { staticImports, staticExports, dynamicImports } = parsed.module;

  const imports: ImportSite[] = staticImports.map((statement) => ({
    specifier: statement.moduleRequest.value,
    line: lineAt(statement.start),
    kind: kindOf(statement, text),
  }));
  for (const { start, moduleRequest } of dynamicImports) {
    const literal = /^['"`]([^'"`$]*)['"`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[1]) imports.push({ specifier: literal[1], line: lineAt(start), kind: 'dynamic' });
  }
  const { urlImports, environmentLines } = readExpressions(parsed.program, lineAt);
  imports.push(...urlImports);

  const importedNames = new Set(
    staticImports.flatMap((statement) => statement.entries.map((entry) => entry.localName.value)),
  );
  const reexports: { line: number; what: string }[] = [];
  const exportNames = new Set<string>();
  for (const statement of staticExports) {
    for (const entry of statement.entries) {
      const name = entry.exportName.name ?? (entry.exportName.kind === 'Default' ? 'default' : '*');
      const isPassedOn = entry.localName.name !== null && importedNames.has(entry.localName.name);
      if (entry.moduleRequest) {
        imports.push({
          specifier: entry.moduleRequest.value,
          line: lineAt(statement.start),
          kind: entry.isType ? 'type' : 'static',
        });
      }
      if (entry.moduleRequest || isPassedOn) reexports.push({ line: lineAt(statement.start), what: name });
      else exportNames.add(name);
    }
  }

  const lineCount = text.replace(/\n$/, '').split('\n').length;
  return { path, lineCount, imports, reexports, exportNames, environmentLines };
}
