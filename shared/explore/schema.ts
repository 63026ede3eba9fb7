import * as z from 'zod/mini';
import { clampedIntParam, cleanText, isStorable } from '#shared/http.ts';
import { pollSchema } from '#shared/polls/schema.ts';
import {
  DECK_PAGE_SIZE,
  DECK_PAGE_SIZE_MAX,
  SEARCH_MAX_LENGTH,
  SEARCH_PAGE_SIZE,
  SEARCH_PAGE_SIZE_MAX,
  SEARCH_SORTS,
} from './constants.ts';

export const deckQuerySchema = z.object({
  limit: clampedIntParam({ min: 1, max: DECK_PAGE_SIZE_MAX, fallback: DECK_PAGE_SIZE }),
  cursor: z.optional(z.string()),
});

export const deckPageSchema = z.object({
  data: z.array(pollSchema),
  nextCursor: z.nullable(z.string()),
});
export type DeckPage = z.infer<typeof deckPageSchema>;

/** The text of a search, without unwanted characters; empty to find everything. */
export const searchTextSchema = z
  .string()
  .check(
    cleanText,
    z.maxLength(SEARCH_MAX_LENGTH, `A search has at most ${SEARCH_MAX_LENGTH} characters`),
    z.refine(isStorable, 'Contains characters that cannot be searched for'),
  );

export const searchQuerySchema = z.object({
  q: z._default(searchTextSchema, ''),
  sort: z._default(z.enum(SEARCH_SORTS, 'There is no such order'), 'newest'),
  limit: clampedIntParam({ min: 1, max: SEARCH_PAGE_SIZE_MAX, fallback: SEARCH_PAGE_SIZE }),
  cursor: z.optional(z.string()),
});

/** `total`: the number of matches, only in the first page. With `hasMoreThanTotal` it is a lower bound: `SEARCH_TOTAL_MAX`. */
export const searchPageSchema = z.object({
  data: z.array(pollSchema),
  nextCursor: z.nullable(z.string()),
  total: z.optional(z.int()),
  hasMoreThanTotal: z.optional(z.literal(true)),
});
export type SearchPage = z.infer<typeof searchPageSchema>;
