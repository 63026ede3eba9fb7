import { type ChangeEvent, type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type * as z from 'zod/mini';
import { ApiError } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';

type Values<Name extends string> = Record<Name, string>;
type Issue = { path: PropertyKey | undefined; message: string };
type Options<Name extends string, Input> = {
  initial: Values<Name>;
  parse(values: Values<Name>): z.core.util.SafeParseResult<Input>;
  /** Returns the issues that `parse` cannot find. */
  validate?(values: Values<Name>): readonly Issue[];
  send(input: Input): Promise<void>;
  /** The message for an error of the whole form; by default `errorMessage`. */
  describeError?(error: unknown): string;
};

/**
 * The state of a form with text fields. An error is shown next to its field until the field is edited, and an error of the whole
 * form until any field is edited. After a failed submit, the first invalid field is focused, or the error of the whole form if
 * no field is invalid. While the form is being sent, its fields cannot be edited.
 */
export function useForm<Name extends string, Input>(options: Options<Name, Input>) {
  const { initial, parse, validate, send, describeError = errorMessage } = options;
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<string, string>>>({});
  /** An object, so that an error with the same message as the last one is focused again. */
  const [formError, setFormError] = useState<{ message: string } | null>(null);
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (formError !== null) form.current?.querySelector<HTMLElement>('[data-form-error]')?.focus();
  }, [formError]);

  // Keeps what was typed into the prerendered page before hydration. A layout effect runs before any further input.
  useLayoutEffect(() => {
    const typed = [...new FormData(form.current ?? undefined)].filter(([, value]) => value !== '');
    if (typed.length > 0) setValues((before) => ({ ...before, ...Object.fromEntries(typed) }));
  }, []);

  function showIssues(issues: readonly Issue[]) {
    const names = Object.keys(initial);
    const nextErrors: Partial<Record<string, string>> = {};
    for (const { path, message } of issues) nextErrors[String(path)] ??= message;
    setErrors(nextErrors);
    const firstInvalid = names.find((name) => nextErrors[name] !== undefined);
    if (firstInvalid !== undefined) {
      form.current?.querySelector<HTMLInputElement>(`[name="${firstInvalid}"]`)?.focus();
      return;
    }
    const formIssue = issues.find(({ path }) => !names.includes(String(path)));
    if (formIssue !== undefined) setFormError({ message: formIssue.message });
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
      await send(parsed.data);
    } catch (error) {
      if (error instanceof ApiError && error.issues.length > 0) return showIssues(error.issues);
      setFormError({ message: describeError(error) });
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
    /** Shows an error that did not come from `send`, such as that of a passkey, as an error of the whole form; null removes it. */
    showError: (message: string | null) => setFormError(message === null ? null : { message }),
    /** Replaces the values of some fields. */
    fill: (newValues: Partial<Values<Name>>) => setValues((before) => ({ ...before, ...newValues })),
    field: (name: Name) => ({
      name,
      value: values[name],
      error: errors[name] ?? null,
      readOnly: isSending,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        setValues((before) => ({ ...before, [name]: event.target.value }));
        setErrors((before) => ({ ...before, [name]: undefined }));
        setFormError(null);
      },
    }),
  };
}
