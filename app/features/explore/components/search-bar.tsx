import { Search, X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { IconButton } from '#app/ui/button.tsx';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { SEARCH_MAX_LENGTH, type SearchSort } from '#shared/explore/constants.ts';

const SUBMIT_DEBOUNCE_MS = 300;

const SORT_LABELS: Readonly<Record<SearchSort, string>> = {
  newest: 'Newest',
  votes: 'Most votes',
  ending: 'Ending soon',
};

type Props = { q: string; sort: SearchSort; onText(q: string): void; onSort(sort: SearchSort): void };

/** The search text and the order of the results. The text is submitted after a short pause in typing, or on Enter. */
export function SearchBar({ q, sort, onText, onSort }: Props) {
  const [typed, setTyped] = useState(q);
  const [submitted, setSubmitted] = useState(q);
  const [lastQ, setLastQ] = useState(q);
  if (q !== lastQ) {
    setLastQ(q);
    // Something other than this component has changed the address, such as the Back button.
    if (q !== submitted) {
      setSubmitted(q);
      setTyped(q);
    }
  }

  function submit(text: string) {
    setSubmitted(text);
    onText(text);
  }

  const text = typed.trim();
  const submitTyped = useEffectEvent(() => submit(text));
  useEffect(() => {
    if (text === submitted) return;
    const timer = setTimeout(submitTyped, SUBMIT_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, submitted]);

  return (
    <div className="flex min-w-0 flex-wrap gap-2 md:gap-3">
      <search className="min-w-0 flex-1 basis-[16rem]">
        <form
          className="relative"
          onSubmit={(event) => {
            event.preventDefault();
            submit(text);
          }}
        >
          <input
            type="search"
            enterKeyHint="search"
            aria-label="Search for polls"
            placeholder="Question, caption or name"
            value={typed}
            maxLength={SEARCH_MAX_LENGTH}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
            className="h-12 w-full rounded-control border border-edge bg-base-200 pr-12 pl-11 text-field outline-base-content placeholder:text-muted focus:outline-2 [&::-webkit-search-cancel-button]:hidden focus:outline-offset-[-1px]"
          />
          <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-muted">
            <Icon icon={Search} />
          </span>
          {typed !== '' && (
            <IconButton
              icon={X}
              label="Clear"
              className="absolute inset-y-0.5 right-0.5"
              onClick={(event) => {
                setTyped('');
                submit('');
                event.currentTarget.form?.querySelector('input')?.focus();
              }}
            />
          )}
        </form>
      </search>
      <SegmentedControl
        label="Order"
        value={sort}
        segments={SORT_LABELS}
        onChange={onSort}
        className="max-md:w-full"
      />
    </div>
  );
}
