import type { PollRow } from '#api/polls/poll-view.ts';
import { votePercentages } from '#shared/polls/rules.ts';
import type { VotesByHour } from '#shared/polls/schema.ts';

/** How many characters of a file name come from the question. */
const QUESTION_PART_MAX_LENGTH = 60;
/** Without this mark, spreadsheets read the file in a local encoding. */
const BYTE_ORDER_MARK = '\uFEFF';
/** Characters that make spreadsheets read a cell as a formula. */
const FORMULA_START = /^[=+\-@\t\r＝＋－＠]/;
const EMPTY_ROW = ['', '', '', ''];

/**
 * The results of a poll as CSV (RFC 4180, UTF-8 with a byte order mark): a row for each option, an empty row, and a row for
 * each hour with votes. Every row has four columns.
 */
export function toCsv(
  poll: Pick<PollRow, 'option1Caption' | 'option2Caption'>,
  hours: VotesByHour['hours'],
): string {
  const option1 = hours.reduce((sum, hour) => sum + hour.option1, 0);
  const option2 = hours.reduce((sum, hour) => sum + hour.option2, 0);
  const percent = votePercentages({ option1, option2 });
  const rows = [
    ['Option', 'Caption', 'Votes', 'Per cent'],
    ['A', poll.option1Caption ?? '', option1, percent[1]],
    ['B', poll.option2Caption ?? '', option2, percent[2]],
    EMPTY_ROW,
    ['Hour (UTC)', 'Votes for A', 'Votes for B', 'Votes'],
    ...hours.map((hour) => [
      `${hour.hour.slice(0, 10)} ${hour.hour.slice(11, 16)}`,
      hour.option1,
      hour.option2,
      hour.option1 + hour.option2,
    ]),
  ];
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(toCell).join()}\r\n`).join('');
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA_START.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The name of the file: the question's letters (a to z, without accents) and digits, with hyphens between words. */
export function csvFileName(question: string): string {
  const plain = question.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, QUESTION_PART_MAX_LENGTH).replace(/-$/, '');
  return `results-${name || 'poll'}.csv`;
}
