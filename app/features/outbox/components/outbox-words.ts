import { wordsForCode } from '#app/lib/error-message.ts';
import { pointsNeeded, pollCost } from '#shared/polls/rules.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import type { Op } from '#sync/protocol/op.ts';

/** The question of the poll that a change is about. */
export function questionOf({ op, poll }: OutboxItem): string {
  if (op.type === 'createPoll') return op.payload.question;
  return poll?.question ?? op.payload.question ?? 'A poll that is gone';
}

/** The caption of a vote's choice, or "Option A" and "Option B". */
export function choiceOf({ op, poll }: OutboxItem): string | null {
  if (op.type !== 'vote') return null;
  const { option, caption } = op.payload;
  const known = option === 1 ? poll?.option1Caption : poll?.option2Caption;
  return known ?? caption ?? (option === 1 ? 'Option A' : 'Option B');
}

/** What became of a change that needs the person, in a few words. */
export function verdictOf(op: Op): string {
  if (op.state === 'needs_attention') return op.type === 'vote' ? 'Vote not sent' : 'Poll not sent';
  return op.type === 'vote' ? 'Vote not counted' : 'Poll not posted';
}

/** Why. `points` are what the person has now, null while unknown. The code decides, never the message. */
export function reasonOf(item: OutboxItem, points: number | null): string {
  const { op } = item;
  if (op.state === 'needs_attention') {
    const unknown = op.lastError?.message || 'The server did not take it, and did not say why.';
    return `${wordsForCode(op.lastError?.code ?? 'unknown', unknown)} It is kept here until you decide.`;
  }
  const code = op.lastError?.code ?? 'unknown';
  if (op.type === 'createPoll' && code === 'insufficient_points') {
    const need = `${pointsNeeded(pollCost(op.payload.responsesWanted))}.`;
    return points === null ? need : `${need} You have ${points}.`;
  }
  if (op.type === 'vote' && code === 'poll_closed') {
    return `The poll closed before your vote for ${choiceOf(item)} arrived.`;
  }
  if (op.type === 'vote' && code === 'not_found') return 'The poll was taken down before your vote arrived.';
  return wordsForCode(code, op.lastError?.message ?? '');
}

/** What discarding a change that waits comes to. */
export function withdrawalWords(op: Op): string {
  if (op.isRepeated === true) {
    return 'The server took it once and may have lost it since. If it still has it, it stays there.';
  }
  return op.firstLeasedAt === null && op.attempts === 0
    ? 'It has not been sent yet. Discarding it cannot be undone.'
    : 'No answer has come yet. If it did reach the server, it stays there.';
}
