DROP INDEX "polls_question_search";--> statement-breakpoint
DROP INDEX "polls_question_pairs";--> statement-breakpoint
CREATE INDEX "polls_deck" ON "polls" USING btree (get_byte(uuid_send("id"), 15),"closes_at") WHERE "polls"."active";--> statement-breakpoint
CREATE INDEX "polls_text_search" ON "polls" USING gin ((question || coalesce(chr(31) || option1_caption, '') || coalesce(chr(31) || option2_caption, '')) gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "polls_text_pairs" ON "polls" USING gin (letter_pairs((question || coalesce(chr(31) || option1_caption, '') || coalesce(chr(31) || option2_caption, ''))));