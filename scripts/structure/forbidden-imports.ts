import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { FORBIDDEN_IMPORTS } from './import-rules.ts';

/** Only these are read: the rest of the project imports nothing. */
const FOLDERS = ['shared', 'sync', 'api', 'app', 'scripts', 'e2e', 'bench'];

/** The imports of the project in `root` that break a rule: the file, what it imports, and the rule's name and reason. */
export async function findForbiddenImports(root: string): Promise<string[]> {
  const { output } = await cruise(
    FOLDERS,
    {
      baseDir: root,
      ruleSet: { forbidden: FORBIDDEN_IMPORTS },
      validate: true,
      // TypeScript 7 has no compiler interface for JavaScript; SWC reads the files instead.
      parser: 'swc',
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '^e2e/faults/releases/|webkit-browser[.]js$' },
    },
    // An import names its file with the extension.
    {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.js'],
    },
  );
  const { summary } = output as ICruiseResult;
  const reasons = new Map(FORBIDDEN_IMPORTS.map(({ name, comment }) => [name, comment]));
  return summary.violations.map(({ from, to, rule }) => {
    const reason = reasons.get(rule.name);
    return `${from} may not import ${to} (${rule.name}${reason === undefined ? '' : `: ${reason}`})`;
  });
}
