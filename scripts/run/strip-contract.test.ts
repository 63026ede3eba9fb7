import { expect, test } from 'vitest';
import { markCallsPure, stripCalls } from './strip-contract.ts';

function linesOf(code: string): string[] {
  return code
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean);
}

test('removes the properties of a call that clients do not read', () => {
  const contract = `
    export const castVote = {
      method: 'POST',
      path: '/api/questions/{id}/vote',
      summary: 'Casts a vote, once',
      access: 'user',
      json: schemas.voteSchema,
      responses: { 200: { description: 'The poll', content: z.object({ description: z.string() }) } },
      errors: ['own_poll'],
    } as const satisfies Call;
    export const changeVote = { ...castVote, method: 'PUT', acceptsKey: true } as const satisfies Call;
  `;
  expect(linesOf(stripCalls('contract.ts', contract))).toEqual([
    'export const castVote = {',
    "method: 'POST',",
    "path: '/api/questions/{id}/vote',",
    'responses: { 200: { content: z.object({ description: z.string() }) } },',
    '} as const satisfies Call;',
    "export const changeVote = { ...castVote, method: 'PUT', } as const satisfies Call;",
  ]);
});

test('does not change code other than exported calls', () => {
  const contract =
    "const pollParams = { summary: 'mine' };\nexport function access() { return { access: 'user' }; }";
  expect(stripCalls('contract.ts', contract)).toBe(contract);
});

test('marks function calls at the top level as pure, so that unused results are tree-shaken', () => {
  const schemas = `
    export const nameSchema = z.string().check(z.maxLength(9));
    export const trim = (text: string) => text.trim();
    export function send() { socket.send(new Map()); }
    export const log = { add() { lines.push(now()); } };
  `;
  expect(linesOf(markCallsPure('schema.ts', schemas))).toEqual([
    'export const nameSchema = /* @__PURE__ */ z.string().check(/* @__PURE__ */ z.maxLength(9));',
    'export const trim = (text: string) => text.trim();',
    'export function send() { socket.send(new Map()); }',
    'export const log = { add() { lines.push(now()); } };',
  ]);
});
