import { OBJECT_STATES, type ObjectPage, type Overview } from '../api-types.ts';
import { ObjectTable, useNow } from './parts.tsx';
import { listHref, type Route } from './route.ts';
import { type Loaded, useView } from './server.ts';
import { STATE_NAMES } from './text.tsx';

const SORTS: readonly (readonly [string, string])[] = [
  ['name', 'name'],
  ['lastPass', 'last pass'],
  ['next', 'next deadline'],
  ['failures', 'failures'],
];

export function ObjectsPage({ route: { query }, view, aheadMs }: Loaded<ObjectPage> & { readonly route: Route }) {
  const now = useNow(aheadMs);
  const { view: overview } = useView<Overview>('overview');
  const kinds = overview?.kinds ?? [];
  const given = Object.fromEntries(query);
  const go = (change: Readonly<Record<string, string>>) => {
    const { after: _, ...kept } = given;
    location.hash = listHref({ ...kept, ...change });
  };
  return (
    <>
      <h1>Objects</h1>
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
            onChange={go}
          />
          <Select
            name="state"
            label="State"
            value={given.state}
            options={[['', 'all'], ...OBJECT_STATES.map((state) => [state, STATE_NAMES[state] ?? state] as const)]}
            onChange={go}
          />
          <Select name="sort" label="Sorted by" value={given.sort ?? 'name'} options={SORTS} onChange={go} />
          <button type="submit">Search</button>
        </form>
      </search>
      {view !== undefined && (
        <>
          <p aria-live="polite">{view.selected === 1 ? '1 object' : `${view.selected} objects`}</p>
          <ObjectTable rows={view.rows} now={now} />
          <nav class="pages" aria-label="Pages">
            {given.after !== undefined && <a href={listHref({ ...given, after: undefined })}>First page</a>}
            {view.next !== undefined && <a href={listHref({ ...given, after: view.next })}>Next page</a>}
          </nav>
        </>
      )}
    </>
  );
}

function Select({
  name,
  label,
  value = '',
  options,
  onChange,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (change: Readonly<Record<string, string>>) => void;
}) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => onChange({ [name]: event.currentTarget.value })}>
        {options.map(([id, title]) => (
          <option key={id} value={id} selected={id === value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
