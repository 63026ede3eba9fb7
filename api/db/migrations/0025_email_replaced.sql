ALTER TABLE "mail_queue" DROP CONSTRAINT "mail_queue_recipient";--> statement-breakpoint
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_recipient" CHECK (("mail_queue"."purpose" in ('verify', 'digest') and "mail_queue"."user_id" is not null and "mail_queue"."email" is null)
        or ("mail_queue"."purpose" = 'reset' and "mail_queue"."email" is not null)
        or ("mail_queue"."purpose" = 'removal' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null
          and "mail_queue"."poll_id" is not null and "mail_queue"."rule" is not null)
        or ("mail_queue"."purpose" in ('email-change', 'email-changed', 'password-changed', 'username-changed', 'email-replaced', 'deletion', 'passkey-added', 'passkey-removed', 'second-step-on', 'second-step-off', 'recovery-codes-renewed', 'recovery-code-used')
          and "mail_queue"."user_id" is not null and "mail_queue"."email" is not null));