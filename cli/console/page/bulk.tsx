import { useState } from 'preact/hooks';
import type { BulkReport, BulkView } from '../api-types.ts';
import { Action, Panel } from './parts.tsx';
import { useView } from './server.ts';
import { Text } from './text.tsx';

const MOST = 1_000;
const RATES = [1, 5, 20];

/** An action for everything that the filter of a page shows. */
export function BulkPanel({
  actions,
  filter,
  selected,
  noun,
  by,
  disabled,
}: {
  /** Ids and names of the actions that can be chosen. */
  readonly actions: readonly (readonly [string, string])[];
  readonly filter: Readonly<Record<string, string>>;
  readonly selected: number;
  /** What is acted on, as singular and plural. */
  readonly noun: readonly [string, string];
  readonly by: string;
  readonly disabled: boolean;
}) {
  const [choice, setChoice] = useState<Choice>({ chosen: actions[0]?.[0] ?? '', most: 100, perSecond: 5 });
  const { chosen, most, perSecond } = choice;
  const limit = Math.min(selected, most);
  const what = limit === 1 ? `1 ${noun[0]}` : `${limit} ${noun[1]}`;
  const title = actions.find(([id]) => id === chosen)?.[1] ?? '';
  const first = selected > limit ? `the first ${what} of ${selected}` : what;
  return (
    <details class="panel bulk">
      <summary>Act on everything that the filter shows</summary>
      <Choices actions={actions} choice={choice} onChoice={setChoice} />
      <Action
        action="bulk-start"
        body={{ action: chosen, filter, limit, perSecond }}
        label={`${title}: ${what}`}
        question={`${title}: ${first}, ${perSecond} in one second? ${by} is recorded with each.`}
        disabled={disabled || limit === 0}
      />
    </details>
  );
}

interface Choice {
  /** The id of an action. */
  readonly chosen: string;
  /** How many objects at most. */
  readonly most: number;
  readonly perSecond: number;
}

function Choices({
  actions,
  choice,
  onChoice,
}: {
  readonly actions: readonly (readonly [string, string])[];
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}) {
  return (
    <div class="filters">
      <label>
        Action
        <select value={choice.chosen} onChange={(event) => onChoice({ ...choice, chosen: event.currentTarget.value })}>
          {actions.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        At most
        <input
          type="number"
          min={1}
          max={MOST}
          value={choice.most}
          onInput={(event) => onChoice({ ...choice, most: bounded(event.currentTarget.value) })}
        />
      </label>
      <label>
        In one second
        <select
          value={choice.perSecond}
          onChange={(event) => onChoice({ ...choice, perSecond: Number(event.currentTarget.value) })}
        >
          {RATES.map((rate) => (
            <option key={rate} value={rate}>
              {rate}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The number that was typed, within what the server accepts. */
function bounded(typed: string): number {
  return Math.min(MOST, Math.max(1, Math.trunc(Number(typed)) || 1));
}

/** The action for many objects that runs, or ran last. */
export function BulkReportPanel({ disabled }: { readonly disabled: boolean }) {
  const { view } = useView<BulkView>('bulk');
  if (view?.report === undefined) return null;
  const { title, state, limit, done, failed, failures } = view.report;
  return (
    <Panel title="Action for many objects">
      <p aria-live="polite">
        {title}: {done} of {limit} done, {failed} failed. {STATES[state]}
      </p>
      {state === 'running' && (
        <Action
          action="bulk-stop"
          body={{}}
          label="Stop"
          question="Stop the action? What is done stays done."
          disabled={disabled}
        />
      )}
      <ul>
        {failures.map(({ name, error }) => (
          <li key={name}>
            <Text of={name} />{' '}
            <span class="bad">
              <Text of={error} />
            </span>
          </li>
        ))}
      </ul>
      {failed > failures.length && <p class="quiet">{failed - failures.length} more failures are not shown.</p>}
    </Panel>
  );
}

const STATES: Readonly<Record<BulkReport['state'], string>> = {
  running: 'It is running.',
  stopped: 'It was stopped.',
  ended: 'It has ended.',
};
