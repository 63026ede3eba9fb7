import type { Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { budgetError } from './first-script-budget.ts';

const chunk = (fileName: string, imports: string[], isEntry = false) =>
  ({ type: 'chunk', fileName, imports, isEntry, code: `export const a = '${fileName}';` }) as unknown;

const bundle = Object.fromEntries(
  [chunk('index.js', ['shared.js'], true), chunk('shared.js', []), chunk('admin.js', ['index.js'])].entries(),
) as unknown as Rolldown.OutputBundle;

test('the first script may be as large as its budget, with what it imports and without other chunks', () => {
  const [, bytes] = /has (\d+) bytes/.exec(budgetError(bundle, 0) ?? '') ?? [];
  expect(Number(bytes)).toBeGreaterThan(50);
  expect(Number(bytes)).toBeLessThan(90);
  expect(budgetError(bundle, Number(bytes))).toBeNull();
  expect(budgetError(bundle, Number(bytes) - 1)).toContain(', 1 more than its budget');
});
