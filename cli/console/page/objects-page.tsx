import { OBJECT_STATES, type ObjectPage } from '../api-types.ts';
import { BulkPanel, BulkReportPanel } from './bulk.tsx';
import { VirtualTable, WINDOW_ROWS } from './object-table.tsx';
import { Time, useNow } from './parts.tsx';
import { listHref, type Route } from './route.ts';
import type { Loaded } from './server.ts';
import { STATE_NAMES } from './text.tsx';

const SORTS: readonly (readonly [string, string])[] = [
  ['name', 'name'],
  ['lastPass', 'last pass'],
  ['next', 'next deadline'],
  ['failures', 'failures'],
];

const ACTIONS: readonly (readonly [string, string])[] = [
  ['requeue', 'Start passes'],
  ['pause', 'Pause'],
  ['resume', 'Resume'],
];

/** The address of the API for a list. */
export function listAddress(query: URLSearchParams): string {
  const asked = new URLSearchParams(query);
  asked.delete('from');
  asked.set('rows', String(WINDOW_ROWS));
  return `objects?${asked}`;
}

export function ObjectsPage({ route: { query }, view, aheadMs }: Loaded<ObjectPage> & { readonly route: Route }) {
  const now = useNow(aheadMs);
  const given = Object.fromEntries(query);
  return (
    <>
      <h1>Objects</h1>
      <Filters given={given} kinds={view?.kinds ?? []} />
      {view !== undefined && <Found query={query} view={view} now={now} />}
    </>
  );
}

/** @param given the filters of the address, by name. */
function Filters({
  given,
  kinds,
}: {
  readonly given: Readonly<Record<string, string>>;
  readonly kinds: ObjectPage['kinds'];
}) {
  const go = (change: Readonly<Record<string, string>>) => {
    location.hash = listHref({ ...given, ...change });
  };
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          go(Object.fromEntries([...data].map(([name, value]) => [name, String(value)])));
        }}
      >
        <label>
          Search
          <input
            type="search"
            name="text"
            defaultValue={given.text ?? ''}
            placeholder="name, namespace, reason"
            maxLength={253}
          />
        </label>
        <label>
          Namespace
          <input name="namespace" defaultValue={given.namespace ?? ''} maxLength={253} />
        </label>
        <Select
          name="kind"
          label="Kind"
          value={given.kind}
          options={[['', 'all'], ...kinds.map(({ kindId, kind }) => [kindId, kind] as const)]}
        />
        <Select
          name="state"
          label="State"
          value={given.state}
          options={[['', 'all'], ...OBJECT_STATES.map((state) => [state, STATE_NAMES[state] ?? state] as const)]}
        />
        <Select name="sort" label="Sorted by" value={given.sort ?? 'name'} options={SORTS} />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** What the filters select, and the actions for all of it. */
function Found({
  query,
  view,
  now,
}: {
  readonly query: URLSearchParams;
  readonly view: ObjectPage;
  readonly now: number;
}) {
  return (
    <>
      <BulkPanel
        actions={ACTIONS}
        filter={Object.fromEntries(query)}
        selected={view.selected}
        noun={['object', 'objects']}
        by={view.by}
        disabled={view.readOnly}
      />
      <BulkReportPanel disabled={view.readOnly} />
      <p>
        <span aria-live="polite">{view.selected === 1 ? '1 object' : `${view.selected} objects`}</span>{' '}
        <span class="quiet">
          The table was read <Time at={view.readAt} now={now} />.
          {view.notListed > 0 && ` ${view.notListed} more objects are counted and not listed.`}
        </span>
      </p>
      <VirtualTable key={query.toString()} address={listAddress(query)} first={view} now={now} />
    </>
  );
}

function Select({
  name,
  label,
  value = '',
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [string, string])[];
}) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => event.currentTarget.form?.requestSubmit()}>
        {options.map(([id, title]) => (
          <option key={id} value={id} selected={id === value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
