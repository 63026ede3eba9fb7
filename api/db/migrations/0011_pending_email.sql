ALTER TABLE "email_tokens" DROP CONSTRAINT "email_tokens_purpose";--> statement-breakpoint
ALTER TABLE "mail_queue" DROP CONSTRAINT "mail_queue_recipient";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "pending_email" text;--> statement-breakpoint
CREATE INDEX "email_tokens_undo" ON "email_tokens" USING btree (lower("email")) WHERE "email_tokens"."purpose" = 'undo-email';--> statement-breakpoint
CREATE INDEX "mail_queue_email" ON "mail_queue" USING btree (lower("email"));--> statement-breakpoint
ALTER TABLE "email_tokens" ADD CONSTRAINT "email_tokens_purpose" CHECK ("email_tokens"."purpose" in ('verify', 'reset', 'undo-email'));--> statement-breakpoint
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_recipient" CHECK (("mail_queue"."purpose" = 'verify' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null)
        or ("mail_queue"."purpose" = 'reset' and "mail_queue"."email" is not null)
        or ("mail_queue"."purpose" = 'removal' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null
          and "mail_queue"."poll_id" is not null and "mail_queue"."rule" is not null)
        or ("mail_queue"."purpose" in ('email-change', 'email-changed', 'password-changed')
          and "mail_queue"."user_id" is not null and "mail_queue"."email" is not null));