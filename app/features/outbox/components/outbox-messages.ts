import { refusalMessage } from '#app/lib/api/error-message.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { isNeverSent } from '#sync/protocol/op.ts';

/** The title of a change: the question of its poll, or the name of a user. */
export function titleOf({ op, poll }: OutboxItem): string {
  const title = operationOf(op).texts.title?.(op.payload) ?? poll?.question;
  if (title !== undefined) return title;
  return ('question' in op.payload && op.payload.question) || 'A poll that no longer exists';
}

/** The caption of the chosen option, or "Option A" or "Option B"; null when the change is not about an option. */
export function optionLabelOf({ op, poll }: OutboxItem): string | null {
  if (!('option' in op.payload)) return null;
  const { option, caption } = op.payload;
  const currentCaption = option === 1 ? poll?.option1Caption : poll?.option2Caption;
  return currentCaption ?? caption ?? (option === 1 ? 'Option A' : 'Option B');
}

export function refusalTitle(op: Op): string {
  const { unsent, refused } = operationOf(op).texts;
  return op.state === 'needs_attention' ? unsent : refused;
}

/** Why a change needs the user's decision. `points` are those that can be spent, null while unknown. */
export function refusalReason(item: OutboxItem, points: number | null): string {
  const { op } = item;
  const error = op.lastError ?? { code: 'unknown', message: '' };
  if (op.state === 'needs_attention') {
    const reason = refusalMessage(error, 'The server did not accept it and gave no reason.');
    return `${reason} It is kept here until you decide.`;
  }
  const context = { choice: optionLabelOf(item), points };
  return operationOf(op).texts.reason(error.code, op.payload, context) ?? refusalMessage(error);
}

/** What the user should know before discarding a waiting change. */
export function discardWarning(op: Op): string {
  if (isNeverSent(op) && op.isRepeated !== true)
    return 'It has not been sent yet. Discarding it cannot be undone.';
  const warning =
    op.isRepeated === true
      ? 'The server accepted it once and may have lost it since. If it still has it, discarding does not undo it.'
      : 'The server has not responded yet. If it has received this change, discarding does not undo it.';
  const { discardedToo } = operationOf(op).texts;
  return discardedToo === undefined ? warning : `${warning} ${discardedToo}`;
}
