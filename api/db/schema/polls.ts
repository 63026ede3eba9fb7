import { type SQLWrapper, sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, instant, literals } from '#api/db/columns.ts';
import {
  CAPTION_MAX_LENGTH,
  DURATION_MAX_DAYS,
  DURATION_MIN_DAYS,
  QUESTION_MAX_LENGTH,
  RESPONSES_MIN,
} from '#shared/polls/constants.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { users } from './users.ts';

/** Which of the 256 parts of the deck a poll belongs to: the last byte of its id. */
export const deckPart = (id: SQLWrapper) => sql<number>`get_byte(uuid_send(${id}), 15)`;

/** The text in which polls are searched, as SQL: question and captions, separated by a character that they cannot contain. */
export const SEARCHED_TEXT =
  "(question || coalesce(chr(31) || option1_caption, '') || coalesce(chr(31) || option2_caption, ''))";

/**
 * Polls with their tallies. No status is stored: it follows from `active`, `closes_at` and the tallies.
 * Tallies are in no index, so that a vote stays a heap-only update.
 */
export const polls = pgTable(
  'polls',
  (t) => ({
    id: t.uuid().primaryKey(),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    question: t.text().notNull(),
    option1Caption: t.text('option1_caption'),
    option2Caption: t.text('option2_caption'),
    option1Image: t.text('option1_image').notNull(),
    option2Image: t.text('option2_image').notNull(),
    option1Preview: t.text('option1_preview'),
    option2Preview: t.text('option2_preview'),
    option1Width: t.integer('option1_width'),
    option1Height: t.integer('option1_height'),
    option2Width: t.integer('option2_width'),
    option2Height: t.integer('option2_height'),
    votes1: t.integer().notNull().default(0),
    votes2: t.integer().notNull().default(0),
    responsesWanted: t.integer('responses_wanted').notNull(),
    durationDays: t.integer('duration_days').notNull(),
    active: t.boolean().notNull().default(true),
    isSample: t.boolean('is_sample').notNull().default(false),
    /** Created by an administrator at no cost, without a ledger entry. */
    isFree: t.boolean('is_free').notNull().default(false),
    createdAt: createdAt(),
    closesAt: instant('closes_at').notNull(),
    /** When its maker closed it early; `closesAt` has the same time. */
    closedAt: instant('closed_at'),
    rev: t.integer().notNull().default(1),
    /** When the poll was hidden because of reports; null again once an administrator has decided. */
    hiddenAt: instant('hidden_at'),
    /** When an administrator removed the poll for `removedRule`; its row is deleted some days later. */
    removedAt: instant('removed_at'),
    removedRule: t.text('removed_rule').$type<ReportReason>(),
    /** For a hidden or removed poll, the value that `active` had and will have once the poll is shown again; else null. */
    activeBefore: t.boolean('active_before'),
  }),
  (table) => [
    index('polls_feed').on(table.createdAt.desc(), table.id.desc()).where(sql`${table.active}`),
    index('polls_newest').on(table.createdAt.desc(), table.id.desc()),
    index('polls_deck').on(deckPart(table.id), table.closesAt).where(sql`${table.active}`),
    // Trigrams: search for any part of a question or a caption.
    index('polls_text_search').using('gin', sql.raw(`${SEARCHED_TEXT} gin_trgm_ops`)),
    // Letters and pairs of letters, for search texts that are too short for trigrams.
    index('polls_text_pairs').using('gin', sql.raw(`letter_pairs(${SEARCHED_TEXT})`)),
    index('polls_owner').on(table.userId, table.createdAt.desc(), table.id.desc()),
    index('polls_open').on(table.closesAt).where(sql`${table.active}`),
    index('polls_withheld')
      .on(table.removedAt, table.id)
      .where(sql`${table.hiddenAt} is not null or ${table.removedAt} is not null`),
    check(
      'polls_question_length',
      sql`char_length(${table.question}) between 1 and ${literals(QUESTION_MAX_LENGTH)}`,
    ),
    check(
      'polls_caption1_length',
      sql`char_length(${table.option1Caption}) between 1 and ${literals(CAPTION_MAX_LENGTH)}`,
    ),
    check(
      'polls_caption2_length',
      sql`char_length(${table.option2Caption}) between 1 and ${literals(CAPTION_MAX_LENGTH)}`,
    ),
    check(
      'polls_withheld_inactive',
      sql`(${table.hiddenAt} is null and ${table.removedAt} is null) = (${table.activeBefore} is null)
        and (${table.activeBefore} is null or not ${table.active})`,
    ),
    check('polls_tallies_not_negative', sql`${table.votes1} >= 0 and ${table.votes2} >= 0`),
    check('polls_never_more_than_wanted', sql`${table.votes1} + ${table.votes2} <= ${table.responsesWanted}`),
    check('polls_responses_minimum', sql`${table.responsesWanted} >= ${literals(RESPONSES_MIN)}`),
    check(
      'polls_duration_range',
      sql`${table.durationDays} between ${literals(DURATION_MIN_DAYS)} and ${literals(DURATION_MAX_DAYS)}`,
    ),
  ],
);

/** The numbers of polls in a single row, so that no list has to count the table. */
export const pollTotals = pgTable(
  'poll_totals',
  (t) => ({
    id: t.integer().primaryKey(),
    /** Polls with `active` set: open, completed or expired ones. */
    active: t.integer().notNull().default(0),
    /** All polls. */
    total: t.integer().notNull().default(0),
  }),
  (table) => [
    check('poll_totals_one_row', sql`${table.id} = 1`),
    check('poll_totals_not_negative', sql`${table.active} >= 0 and ${table.total} >= 0`),
  ],
);
