import { type ESTree, type Plugin, parseSync } from 'vite';

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

/** Leaves out of the clients' contract what they do not read: summaries, limits, and the schemas of requests. */
export function stripContract(): Plugin {
  return {
    name: 'strip-contract',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/shared\/[\w/-]+\/contract\.ts$/ },
      handler: (code, file) => ({ code: stripCalls(file, code), map: null }),
    },
  };
}
