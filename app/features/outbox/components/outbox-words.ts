import { refusalMessage } from '#app/lib/api/error-message.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { isNeverSent } from '#sync/protocol/op.ts';

/** The question of the poll that a change is about. */
export function questionOf({ op, poll }: OutboxItem): string {
  return poll?.question ?? op.payload.question ?? 'A poll that is gone';
}

/** The option that was chosen, for a change that chooses one. */
export function optionOf({ payload }: Op): Option | null {
  return 'option' in payload ? payload.option : null;
}

/** The caption of a vote's choice, or "Option A" and "Option B". */
export function choiceOf({ op, poll }: OutboxItem): string | null {
  if (!('option' in op.payload)) return null;
  const { option, caption } = op.payload;
  const known = option === 1 ? poll?.option1Caption : poll?.option2Caption;
  return known ?? caption ?? (option === 1 ? 'Option A' : 'Option B');
}

/** What became of a change that needs the person, in a few words. */
export function verdictOf(op: Op): string {
  const { unsent, refused } = operationOf(op).words;
  return op.state === 'needs_attention' ? unsent : refused;
}

/** Why. `points` are what the person has now, null while unknown. */
export function reasonOf(item: OutboxItem, points: number | null): string {
  const { op } = item;
  const error = op.lastError ?? { code: 'unknown', message: '' };
  if (op.state === 'needs_attention') {
    const reason = refusalMessage(error, 'The server did not take it, and did not say why.');
    return `${reason} It is kept here until you decide.`;
  }
  const context = { choice: choiceOf(item), points };
  return operationOf(op).words.reason(error.code, op.payload, context) ?? refusalMessage(error);
}

/** What discarding a change that waits comes to. */
export function withdrawalWords(op: Op): string {
  if (op.isRepeated === true) {
    return 'The server took it once and may have lost it since. If it still has it, it stays there.';
  }
  return isNeverSent(op)
    ? 'It has not been sent yet. Discarding it cannot be undone.'
    : 'No answer has come yet. If it did reach the server, it stays there.';
}
