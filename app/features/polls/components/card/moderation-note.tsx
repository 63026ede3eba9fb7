import { EyeOff, Trash2 } from 'lucide-react';
import { Link } from 'react-router-dom';
import { REPORT_REASONS } from '#app/lib/report-reasons.ts';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { Poll } from '#shared/polls/schema.ts';
import { REMOVED_POLLS_KEPT_DAYS } from '#shared/reports/constants.ts';

/** Tells the maker of a poll that it is hidden, or that it was removed and which rule it broke. */
export default function ModerationNote({ poll: { removedFor } }: { poll: Poll }) {
  return (
    <div className="pointer-events-auto mt-2 flex gap-2.5 rounded-image bg-base-200 p-3">
      <Icon icon={removedFor === undefined ? EyeOff : Trash2} className="mt-0.5" />
      <p className="text-body">
        {removedFor === undefined ? (
          <>
            <b className="font-bold">Hidden.</b> Several people have reported it. Only you can see it until we
            have reviewed it.{' '}
          </>
        ) : (
          <>
            <b className="font-bold">
              Removed.{' '}
              {removedFor === 'other'
                ? 'It broke our rules.'
                : `It broke a rule: ${REPORT_REASONS[removedFor].label}.`}
            </b>{' '}
            Nobody else can see it, and it will be deleted after {REMOVED_POLLS_KEPT_DAYS} days.{' '}
          </>
        )}
        <Link to={paths.rules.href()} className="relative z-1 font-semibold underline">
          The rules
        </Link>
      </p>
    </div>
  );
}
