import { type ESTree, type Plugin, parseSync, Visitor } from 'vite';

/** The properties of a call that the app and the service worker read; only the server reads the others. */
const READ_BY_CLIENTS = ['method', 'path', 'responses'];

type Range = { start: number; end: number };

function isNamed(
  property: ESTree.ObjectPropertyKind,
  names: readonly string[],
): property is ESTree.ObjectProperty {
  return (
    property.type === 'Property' && property.key.type === 'Identifier' && names.includes(property.key.name)
  );
}

function objectIn(expression: ESTree.Expression | null): ESTree.ObjectExpression | null {
  if (expression?.type === 'TSAsExpression' || expression?.type === 'TSSatisfiesExpression') {
    return objectIn(expression.expression);
  }
  return expression?.type === 'ObjectExpression' ? expression : null;
}

function unreadProperties(call: ESTree.ObjectExpression): Range[] {
  return call.properties.filter(
    (property) => property.type === 'Property' && !isNamed(property, READ_BY_CLIENTS),
  );
}

/** The descriptions of a call's responses. */
function responseDescriptions(call: ESTree.ObjectExpression): Range[] {
  const responses = call.properties.find((property) => isNamed(property, ['responses']));
  const byStatus = responses?.type === 'Property' ? (objectIn(responses.value)?.properties ?? []) : [];
  return byStatus.flatMap((status) => {
    const response = status.type === 'Property' ? objectIn(status.value) : null;
    return response?.properties.filter((property) => isNamed(property, ['description'])) ?? [];
  });
}

/** Removes from the source of a contract the properties of exported calls that clients do not read. */
export function stripCalls(file: string, code: string): string {
  const calls = parseSync(file, code).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
    if (declared?.type !== 'VariableDeclaration') return [];
    return declared.declarations.flatMap(({ init }) => objectIn(init) ?? []);
  });
  const unread = calls.flatMap((call) => [...unreadProperties(call), ...responseDescriptions(call)]);
  let stripped = code;
  for (const { start, end } of unread.toSorted((a, b) => b.start - a.start)) {
    stripped = stripped.slice(0, start) + stripped.slice(end).replace(/^\s*,/, '');
  }
  return stripped;
}

/**
 * Marks function calls at the top level of a module of `shared/` as pure, which they are. The bundler then removes unused
 * schemas, and the parts of Zod that only they need.
 */
export function markCallsPure(file: string, code: string): string {
  const calls = new Set<number>();
  let depth = 0;
  const enter = () => {
    depth += 1;
  };
  const leave = () => {
    depth -= 1;
  };
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    CallExpression({ start }) {
      if (depth === 0) calls.add(start);
    },
  }).visit(parseSync(file, code).program);
  let marked = code;
  for (const start of [...calls].toSorted((a, b) => b - a)) {
    marked = `${marked.slice(0, start)}/* @__PURE__ */ ${marked.slice(start)}`;
  }
  return marked;
}

/**
 * Removes from the bundles the parts of the contract that clients do not read, such as summaries, limits and the schemas of
 * requests, and lets the bundler tree-shake `shared/`.
 */
export function stripContract(): Plugin {
  return {
    name: 'strip-contract',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/shared\/[\w/-]+\.ts$/ },
      handler(code, file) {
        const stripped = file.endsWith('/contract.ts') ? stripCalls(file, code) : code;
        return { code: markCallsPure(file, stripped), map: null };
      },
    },
  };
}
