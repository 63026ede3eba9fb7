import { type ESTree, type Plugin, parseSync, Visitor } from 'vite';

/** What the app and the service worker read of a call; the rest is for the server and the OpenAPI document. */
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

function unreadIn(call: ESTree.ObjectExpression): Range[] {
  return call.properties.filter(
    (property) => property.type === 'Property' && !isNamed(property, READ_BY_CLIENTS),
  );
}

/** The descriptions of a call's responses. */
function descriptionsIn(call: ESTree.ObjectExpression): Range[] {
  const responses = call.properties.find((property) => isNamed(property, ['responses']));
  const byStatus = responses?.type === 'Property' ? (objectIn(responses.value)?.properties ?? []) : [];
  return byStatus.flatMap((status) => {
    const response = status.type === 'Property' ? objectIn(status.value) : null;
    return response?.properties.filter((property) => isNamed(property, ['description'])) ?? [];
  });
}

/** The source of a contract with what clients read of its exported calls. */
export function stripCalls(file: string, code: string): string {
  const calls = parseSync(file, code).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
    if (declared?.type !== 'VariableDeclaration') return [];
    return declared.declarations.flatMap(({ init }) => objectIn(init) ?? []);
  });
  const unread = calls.flatMap((call) => [...unreadIn(call), ...descriptionsIn(call)]);
  let stripped = code;
  for (const { start, end } of unread.toSorted((a, b) => b.start - a.start)) {
    stripped = stripped.slice(0, start) + stripped.slice(end).replace(/^\s*,/, '');
  }
  return stripped;
}

/**
 * The source of a module of `shared/`, in which calls outside of functions only make what they return: a schema that nothing
 * uses drops out, with what only this schema needs of Zod.
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
 * Leaves out of the clients' contract what they do not read: summaries, limits, the schemas of requests, and whatever else of
 * `shared/` nothing uses.
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
