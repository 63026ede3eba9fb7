import { Search } from 'lucide-react';
import { Icon } from '#app/ui/icon.tsx';
import { SEARCH_MAX_LENGTH } from '#shared/admin/constants.ts';

type Props = { label: string; value: string; onChange(value: string): void };

export function SearchField({ label, value, onChange }: Props) {
  return (
    <search className="relative w-full md:w-80">
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={SEARCH_MAX_LENGTH}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        className="h-12 w-full rounded-control border border-edge bg-base-100 pr-3 pl-11 text-field outline-base-content placeholder:text-muted focus:outline-2 focus:outline-offset-[-1px]"
      />
      <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-muted">
        <Icon icon={Search} />
      </span>
    </search>
  );
}
