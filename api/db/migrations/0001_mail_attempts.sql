ALTER TABLE "mail_queue" DROP CONSTRAINT "mail_queue_purpose";--> statement-breakpoint
DROP INDEX "mail_queue_due";--> statement-breakpoint
ALTER TABLE "mail_queue" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
DELETE FROM "email_tokens" WHERE "used_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "email_tokens" ADD COLUMN "mail_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "email_tokens" ALTER COLUMN "mail_id" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "email" text;--> statement-breakpoint
UPDATE "mail_queue" SET "email" = lower("users"."email"), "user_id" = NULL FROM "users"
	WHERE "mail_queue"."purpose" = 'reset' AND "users"."id" = "mail_queue"."user_id";--> statement-breakpoint
DELETE FROM "mail_queue" "older" USING "mail_queue" "newer"
	WHERE "older"."id" < "newer"."id" AND "older"."purpose" = "newer"."purpose"
		AND ("older"."user_id" = "newer"."user_id" OR "older"."email" = "newer"."email");--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "message_key" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "lease" uuid;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "leased_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "failed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "email_tokens_expiry" ON "email_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mail_queue_user" ON "mail_queue" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mail_queue_one_verify" ON "mail_queue" USING btree ("user_id") WHERE "mail_queue"."purpose" = 'verify' and "mail_queue"."failed_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "mail_queue_one_reset" ON "mail_queue" USING btree ("email") WHERE "mail_queue"."purpose" = 'reset' and "mail_queue"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "mail_queue_due" ON "mail_queue" USING btree ("next_attempt_at") WHERE "mail_queue"."failed_at" is null;--> statement-breakpoint
ALTER TABLE "email_tokens" DROP COLUMN "used_at";--> statement-breakpoint
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_recipient" CHECK (("mail_queue"."purpose" = 'verify' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null)
        or ("mail_queue"."purpose" = 'reset' and "mail_queue"."email" is not null));