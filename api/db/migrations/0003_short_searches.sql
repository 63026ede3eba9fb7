CREATE FUNCTION letter_pairs(value text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT substr(lower(value), start, length)) FROM generate_series(1, char_length(value)) start, generate_series(1, 2) length);--> statement-breakpoint
CREATE INDEX "polls_question_pairs" ON "polls" USING gin (letter_pairs("question"));
