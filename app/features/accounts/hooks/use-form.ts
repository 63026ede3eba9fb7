import { type ChangeEvent, type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type * as z from 'zod/mini';
import { ApiError, codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';

type Values<Name extends string> = Record<Name, string>;
type Issue = { path: PropertyKey | undefined; message: string };
type Options<Name extends string, Input> = {
  initial: Values<Name>;
  parse(values: Values<Name>): z.core.util.SafeParseResult<Input>;
  /** Checks that `parse` does not make. */
  validate?(values: Values<Name>): readonly Issue[];
  /** `fill` replaces what is in some fields. */
  send(input: Input, fill: (next: Partial<Values<Name>>) => void): Promise<void>;
  /** The message for an error of the form as a whole; null when it is shown elsewhere. */
  describeError?(error: unknown): string | null;
};

/** The server does not say which of username and email is taken, so the message belongs to the whole form. */
function takenMessage(error: unknown): string | null {
  return codeOf(error) === 'taken' ? errorMessage(error) : null;
}

/**
 * The state of a form of text fields. An error is shown next to its field until the field is edited. The first invalid
 * field gets the focus, or else the form's own error.
 */
export function useForm<Name extends string, Input>(options: Options<Name, Input>) {
  const { initial, parse, validate, send, describeError = takenMessage } = options;
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<string, string>>>({});
  const [formError, setFormError] = useState<{ message: string } | null>(null);
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (formError !== null) form.current?.querySelector<HTMLElement>('[data-form-error]')?.focus();
  }, [formError]);

  // What was typed into a prerendered page before the app ran; before any event can replace it.
  useLayoutEffect(() => {
    const typed = [...new FormData(form.current ?? undefined)].filter(([, value]) => value !== '');
    if (typed.length > 0) setValues((before) => ({ ...before, ...Object.fromEntries(typed) }));
  }, []);

  function showIssues(issues: readonly Issue[]) {
    const names = Object.keys(initial);
    const next: Partial<Record<string, string>> = {};
    for (const { path, message } of issues) next[String(path)] ??= message;
    setErrors(next);
    const first = names.find((name) => next[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
    const other = issues.find(({ path }) => !names.includes(String(path)));
    if (first === undefined && other !== undefined) setFormError({ message: other.message });
  }

  function fill(next: Partial<Values<Name>>) {
    setValues((before) => ({ ...before, ...next }));
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (isSending) return;
    const parsed = parse(values);
    const issues: Issue[] = (parsed.error?.issues ?? []).map(({ path, message }) => ({
      path: path[0],
      message,
    }));
    issues.push(...(validate?.(values) ?? []));
    setFormError(null);
    if (!parsed.success || issues.length > 0) return showIssues(issues);
    setErrors({});
    setSending(true);
    try {
      await send(parsed.data, fill);
    } catch (error) {
      if (error instanceof ApiError && error.issues.length > 0) return showIssues(error.issues);
      const message = describeError(error);
      if (message !== null) setFormError({ message });
    } finally {
      setSending(false);
    }
  }

  return {
    ref: form,
    isSending,
    onSubmit: (event: FormEvent) => void onSubmit(event),
    values,
    formError: formError?.message ?? null,
    fill,
    field: (name: Name) => ({
      name,
      value: values[name],
      error: errors[name] ?? null,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        setValues((before) => ({ ...before, [name]: event.target.value }));
        setErrors((before) => ({ ...before, [name]: undefined }));
      },
    }),
  };
}
