ALTER TABLE "mail_queue" DROP CONSTRAINT "mail_queue_recipient";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deletion_due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deletion_polls" text;--> statement-breakpoint
CREATE INDEX "users_deletion" ON "users" USING btree ("deletion_due_at") WHERE "users"."deletion_due_at" is not null;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_recipient" CHECK (("mail_queue"."purpose" = 'verify' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null)
        or ("mail_queue"."purpose" = 'reset' and "mail_queue"."email" is not null)
        or ("mail_queue"."purpose" = 'removal' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null
          and "mail_queue"."poll_id" is not null and "mail_queue"."rule" is not null)
        or ("mail_queue"."purpose" in ('email-change', 'email-changed', 'password-changed', 'deletion')
          and "mail_queue"."user_id" is not null and "mail_queue"."email" is not null));--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_deletion_whole" CHECK (("users"."deletion_due_at" is null) = ("users"."deletion_polls" is null)
        and "users"."deletion_polls" in ('keep', 'remove'));