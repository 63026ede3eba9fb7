import { type CallExpression, type Expression, parseSync, Visitor } from 'oxc-parser';

const ROOTS: readonly string[] = ['test', 'it', 'describe'];
const SWITCHES: readonly string[] = ['skip', 'skipIf', 'runIf', 'only', 'todo', 'fixme', 'fails', 'fail'];

export type TestTitles = {
  titles: readonly string[];
  /** The texts in the tables of `each`, of which a test has its name. */
  labels: ReadonlySet<string>;
  /** Whether some of the file's tests are switched off, with `skip`, `only` or the like. */
  isPartlyOff: boolean;
};

type Chain = { words: string[]; table: Expression | null };

/** `test.each(table)` as its words and its table; null for what is no test. */
function chainOf(callee: Expression): Chain | null {
  if (callee.type === 'Identifier') return ROOTS.includes(callee.name) ? { words: [], table: null } : null;
  if (callee.type === 'CallExpression') {
    const inner = chainOf(callee.callee);
    const [table] = callee.arguments;
    if (inner === null || table === undefined || table.type === 'SpreadElement') return inner;
    return { ...inner, table };
  }
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return null;
  const inner = chainOf(callee.object);
  return inner && { ...inner, words: [...inner.words, callee.property.name] };
}

function titleOf({ arguments: [first] }: CallExpression): string | null {
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value;
  if (first?.type === 'TemplateLiteral') return first.quasis.map(({ value }) => value.cooked).join('…');
  return null;
}

/** Reads the titles of the tests and their groups in a test file. */
export function readTestTitles(path: string, text: string): TestTitles {
  const titles: string[] = [];
  const tables: { start: number; end: number }[] = [];
  const tableNames = new Set<string>();
  const strings: { at: number; value: string }[] = [];
  const named: { name: string; start: number; end: number }[] = [];
  let isPartlyOff = false;
  new Visitor({
    CallExpression(call) {
      const chain = chainOf(call.callee);
      if (chain === null) return;
      if (chain.words.some((word) => SWITCHES.includes(word))) isPartlyOff = true;
      const title = titleOf(call);
      if (title === null || chain.words.some((word) => word !== 'each')) return;
      titles.push(title);
      if (chain.table?.type === 'Identifier') tableNames.add(chain.table.name);
      else if (chain.table !== null) tables.push(chain.table);
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null) named.push({ name: id.name, ...rangeOf(init) });
    },
    Literal({ value, start }) {
      if (typeof value === 'string') strings.push({ at: start, value });
    },
  }).visit(parseSync(path, text).program);
  tables.push(...named.filter(({ name }) => tableNames.has(name)));
  const labels = strings.filter(({ at }) => tables.some(({ start, end }) => start <= at && at < end));
  return { titles, labels: new Set(labels.map(({ value }) => value)), isPartlyOff };
}

function rangeOf({ start, end }: Expression): { start: number; end: number } {
  return { start, end };
}
