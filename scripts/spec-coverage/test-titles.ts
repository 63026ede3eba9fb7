import { type CallExpression, type Expression, parseSync, Visitor } from 'oxc-parser';

const TEST_FUNCTIONS: readonly string[] = ['test', 'it', 'describe'];
const DISABLING_MODIFIERS: readonly string[] = [
  'skip',
  'skipIf',
  'runIf',
  'only',
  'todo',
  'fixme',
  'fails',
  'fail',
];

export type TestTitles = {
  titles: readonly string[];
  /** The strings in the tables of `each`, from which tests are named. */
  labels: ReadonlySet<string>;
  /** Whether some of the file's tests are disabled, by `skip`, `only` or a similar modifier. */
  hasDisabledTests: boolean;
};

type Chain = { modifiers: string[]; table: Expression | null };

/** Splits a callee such as `test.each(table)` into its modifiers and its table; returns null if it is not a test function. */
function chainOf(callee: Expression): Chain | null {
  if (callee.type === 'Identifier')
    return TEST_FUNCTIONS.includes(callee.name) ? { modifiers: [], table: null } : null;
  if (callee.type === 'CallExpression') {
    const inner = chainOf(callee.callee);
    const [table] = callee.arguments;
    if (inner === null || table === undefined || table.type === 'SpreadElement') return inner;
    return { ...inner, table };
  }
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return null;
  const inner = chainOf(callee.object);
  return inner && { ...inner, modifiers: [...inner.modifiers, callee.property.name] };
}

function titleOf({ arguments: [first] }: CallExpression): string | null {
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value;
  if (first?.type === 'TemplateLiteral') return first.quasis.map(({ value }) => value.cooked).join('…');
  return null;
}

/** Reads the titles of the tests and of their groups in a test file. */
export function readTestTitles(path: string, text: string): TestTitles {
  const titles: string[] = [];
  const tables: { start: number; end: number }[] = [];
  const tableNames = new Set<string>();
  const strings: { start: number; value: string }[] = [];
  const variables: { name: string; start: number; end: number }[] = [];
  let hasDisabledTests = false;
  new Visitor({
    CallExpression(call) {
      const chain = chainOf(call.callee);
      if (chain === null) return;
      if (chain.modifiers.some((name) => DISABLING_MODIFIERS.includes(name))) hasDisabledTests = true;
      const title = titleOf(call);
      if (title === null || chain.modifiers.some((name) => name !== 'each')) return;
      titles.push(title);
      if (chain.table?.type === 'Identifier') tableNames.add(chain.table.name);
      else if (chain.table !== null) tables.push(chain.table);
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null)
        variables.push({ name: id.name, start: init.start, end: init.end });
    },
    Literal({ value, start }) {
      if (typeof value === 'string') strings.push({ start, value });
    },
  }).visit(parseSync(path, text).program);
  tables.push(...variables.filter(({ name }) => tableNames.has(name)));
  const labels = strings.filter(({ start }) =>
    tables.some((table) => table.start <= start && start < table.end),
  );
  return { titles, labels: new Set(labels.map(({ value }) => value)), hasDisabledTests };
}
