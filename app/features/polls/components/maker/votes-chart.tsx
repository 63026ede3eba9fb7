import { useId } from 'react';
import { useVotesByHour } from '#app/features/polls/hooks/use-votes-by-hour.ts';
import { shownVotesOf } from '#app/features/polls/lib/card-state.ts';
import { type VoteColumn, voteColumns } from '#app/features/polls/lib/vote-columns.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { dateTimeLabel, dayLabel, timeLeftLabel } from '#app/lib/time.ts';
import { OptionLetter } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';

// Lengths are in units of the `viewBox`.
const WIDTH = 320;
const HEIGHT = 88;
const GAP = 3;
const CORNER_RADIUS = 4;
/** The minimum height of a segment with votes, and the height of the line for a column without votes. */
const SEGMENT_HEIGHT_MIN = 3;
/** With fewer votes there is no chart. */
const VOTES_MIN = 2;

type Props = { poll: Poll; userId: number; nowMs: number };

/** The chart of the votes of the user's own poll over time, in columns of hours or days. */
export function VotesOverTime({ poll, userId, nowMs }: Props) {
  const id = useId();
  const isOpen = poll.status === 'active';
  return (
    <figure aria-labelledby={id} className="mt-4 card p-4">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-3 pb-3">
        <h2 id={id} className="text-question">
          Votes over time
        </h2>
        <span className="text-muted text-small">
          {shownVotesOf(poll)} of {poll.responsesWanted}
          {isOpen && ` · ${timeLeftLabel(poll.closesAt, nowMs)}`}
        </span>
      </figcaption>
      {shownVotesOf(poll) < VOTES_MIN ? (
        <ChartMessage>{tooFewVotesText(poll)}</ChartMessage>
      ) : (
        <VotesChart poll={poll} userId={userId} nowMs={nowMs} />
      )}
    </figure>
  );
}

function tooFewVotesText(poll: Poll): string {
  if (poll.status === 'active') return 'The chart starts with the second vote.';
  return shownVotesOf(poll) === 0 ? 'No votes came in.' : 'Only one vote came in, too few for a chart.';
}

/** A message in place of the chart, of about the same height. */
function ChartMessage({ children }: { children: string }) {
  return (
    <p role="status" className="grid min-h-32 place-items-center text-center text-body text-muted">
      {children}
    </p>
  );
}

function VotesChart({ poll, userId, nowMs }: Props) {
  const isReachable = useReachable();
  const { hours, hasFailed } = useVotesByHour(poll, userId);
  if (hours === null) {
    if (!isReachable) return <ChartMessage>The chart needs a connection.</ChartMessage>;
    return <ChartMessage>{hasFailed ? 'The chart could not be loaded.' : 'Loading…'}</ChartMessage>;
  }
  const untilMs = Math.min(nowMs, Date.parse(poll.closesAt));
  const { unit, columns } = voteColumns(hours, { fromMs: Date.parse(poll.createdAt), untilMs });
  const label = (ms: number) =>
    unit === 'hour' ? dateTimeLabel(new Date(ms).toISOString(), nowMs) : dayLabel(new Date(ms).toISOString());
  return (
    <>
      <Columns columns={columns} label={label} />
      <div aria-hidden="true" className="flex flex-wrap items-center justify-between gap-x-3 pt-2 text-small">
        <span className="text-muted">{label(Date.parse(poll.createdAt))}</span>
        <span className="flex items-center gap-4">
          {([1, 2] as const).map((option) => (
            <span key={option} className="figures flex items-center gap-1.5 font-bold">
              <OptionLetter option={option} />
              {columns.reduce((sum, column) => sum + votesOf(column)[option], 0)}
            </span>
          ))}
        </span>
        <span className="text-muted">{poll.status === 'active' ? 'now' : label(untilMs)}</span>
      </div>
      <VotesTable poll={poll} columns={columns} label={label} />
    </>
  );
}

const votesOf = ({ option1, option2 }: VoteColumn) => ({ 1: option1, 2: option2 });
const sumOf = ({ option1, option2 }: VoteColumn) => option1 + option2;

type ColumnsProps = { columns: readonly VoteColumn[]; label(ms: number): string };

/** The stacked columns: votes for A below votes for B, in the colours of the options. */
function Columns({ columns, label }: ColumnsProps) {
  const max = Math.max(1, ...columns.map(sumOf));
  const width = (WIDTH + GAP) / columns.length - GAP;
  const total = columns.reduce((sum, column) => sum + sumOf(column), 0);
  const peak = columns.find((column) => sumOf(column) === max);
  const summary = `${countLabel(total, 'vote')}, most at ${label(peak?.startMs ?? 0)}: ${max}`;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary} className="w-full">
      {[0.5, HEIGHT / 2].map((y) => (
        <line key={y} x1={0} x2={WIDTH} y1={y} y2={y} className="stroke-base-300" />
      ))}
      {columns.map((column, index) => (
        <Column key={column.startMs} column={column} x={index * (width + GAP)} width={width} max={max} />
      ))}
    </svg>
  );
}

type ColumnProps = { column: VoteColumn; x: number; width: number; max: number };

function Column({ column, x, width, max }: ColumnProps) {
  const { option1, option2 } = column;
  const gap = option1 > 0 && option2 > 0 ? GAP : 0;
  // The same for all columns: the highest fits even with a gap between its segments.
  const scale = (HEIGHT - GAP) / max;
  // Leaves room for the minimum height of the other segment.
  const heightMax = HEIGHT - (gap > 0 ? gap + SEGMENT_HEIGHT_MIN : 0);
  const heightOf = (votes: number) =>
    votes === 0 ? 0 : Math.min(heightMax, Math.max(SEGMENT_HEIGHT_MIN, votes * scale));
  const [height1, height2] = [heightOf(option1), heightOf(option2)];
  const bar = (y: number, height: number, className: string) => (
    <rect
      x={x}
      y={y}
      width={width}
      height={height}
      rx={Math.min(CORNER_RADIUS, height / 2, width / 2)}
      className={className}
    />
  );
  if (height1 + height2 === 0) return bar(HEIGHT - SEGMENT_HEIGHT_MIN, SEGMENT_HEIGHT_MIN, 'fill-base-300');
  return (
    <>
      {height1 > 0 && bar(HEIGHT - height1, height1, 'fill-(--option-a)')}
      {height2 > 0 && bar(HEIGHT - height1 - gap - height2, height2, 'fill-(--option-b)')}
    </>
  );
}

function VotesTable({ poll, columns, label }: ColumnsProps & { poll: Poll }) {
  return (
    // On the table itself, `sr-only` would not limit the width.
    <div className="sr-only">
      <table>
        <caption>Votes over time</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">{captionOf(poll, 1)}</th>
            <th scope="col">{captionOf(poll, 2)}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => (
            <tr key={column.startMs}>
              <th scope="row">{label(column.startMs)}</th>
              <td>{column.option1}</td>
              <td>{column.option2}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
