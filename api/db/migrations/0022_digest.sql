ALTER TABLE "mail_queue" DROP CONSTRAINT "mail_queue_recipient";--> statement-breakpoint
ALTER TABLE "server_state" ADD COLUMN "unsubscribe_key" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "wants_digest" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "digest_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "mail_queue_one_digest" ON "mail_queue" USING btree ("user_id") WHERE "mail_queue"."purpose" = 'digest' and "mail_queue"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "users_digest" ON "users" USING btree ("digest_at") WHERE "users"."is_verified" and "users"."wants_digest";--> statement-breakpoint
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_recipient" CHECK (("mail_queue"."purpose" in ('verify', 'digest') and "mail_queue"."user_id" is not null and "mail_queue"."email" is null)
        or ("mail_queue"."purpose" = 'reset' and "mail_queue"."email" is not null)
        or ("mail_queue"."purpose" = 'removal' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null
          and "mail_queue"."poll_id" is not null and "mail_queue"."rule" is not null)
        or ("mail_queue"."purpose" in ('email-change', 'email-changed', 'password-changed', 'deletion', 'passkey-added', 'passkey-removed', 'second-step-on', 'second-step-off', 'recovery-codes-renewed', 'recovery-code-used')
          and "mail_queue"."user_id" is not null and "mail_queue"."email" is not null));