import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { act, textOf } from './server.ts';
import { relative, STATE_NAMES, Text } from './text.tsx';

/** The server's time, each second. */
export function useNow(aheadMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now + aheadMs;
}

export function Badge({ state }: { readonly state: string }) {
  return <span class={`badge ${state}`}>{STATE_NAMES[state] ?? state}</span>;
}

export function Time({ at, now }: { readonly at: string | undefined; readonly now: number }) {
  if (at === undefined) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={at}>
      {relative(Date.parse(at) - now)}
    </time>
  );
}

export function Panel({
  title,
  children,
  id,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly id?: string;
}) {
  const heading = `panel-${title.replace(/\W+/g, '-').toLowerCase()}`;
  return (
    <section class="panel" aria-labelledby={heading} id={id}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}

/** A button whose action is confirmed before it is taken. What the server answers is shown and read out. */
export function Action({
  action,
  body,
  label,
  question,
  disabled,
}: {
  readonly action: string;
  readonly body: object;
  readonly label: string;
  readonly question: string;
  readonly disabled: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isSending, setSending] = useState(false);
  const [answer, setAnswer] = useState('');
  const send = async () => {
    setSending(true);
    setAnswer(await act(action, body).catch(textOf));
    setSending(false);
    dialog.current?.close();
  };
  return (
    <span class="action">
      <button
        type="button"
        disabled={disabled}
        title={disabled ? 'This console is read-only.' : undefined}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-label={label}>
        <p>
          <Text of={question} />
        </p>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="primary" disabled={isSending} onClick={send}>
            {label}
          </button>
        </div>
      </dialog>
      <output aria-live="polite">
        <Text of={answer} />
      </output>
    </span>
  );
}
