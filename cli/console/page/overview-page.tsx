import { type KindCount, OBJECT_STATES, type Overview } from '../api-types.ts';
import { ObjectTable } from './object-table.tsx';
import { Panel, Time, useNow } from './parts.tsx';
import { listHref } from './route.ts';
import type { Loaded } from './server.ts';
import { duration, STATE_NAMES, Text } from './text.tsx';

export function OverviewPage({ view, aheadMs }: Loaded<Overview>) {
  const now = useNow(aheadMs);
  if (view === undefined) return null;
  const { passes, backlog, deadLetters, failing, nextDeadlines, kinds } = view;
  const waiting = backlog.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <h1>Overview</h1>
      <dl class="figures">
        <Figure
          title="Passes in the last minute"
          value={String(passes.lastMinute)}
          more={`${passes.perSecond} a second`}
        />
        <Figure
          title="Queue delay"
          value={passes.queueDelayMs === undefined ? '–' : duration(passes.queueDelayMs.median)}
          more={passes.queueDelayMs === undefined ? 'no pass' : `highest ${duration(passes.queueDelayMs.highest)}`}
        />
        <Figure title="Waiting messages" value={String(waiting)} more={busiest(view)} />
        <Figure
          title="Dead letters"
          value={String(deadLetters)}
          more=""
          href="#/dead-letters"
          isBad={deadLetters > 0}
        />
      </dl>
      <Panel title="Objects">
        <Kinds kinds={kinds} />
      </Panel>
      <Panel title="Failing">
        {failing.length === 0 ? <p class="quiet">No object is failing.</p> : <ObjectTable rows={failing} now={now} />}
        {failing.length > 0 && <a href={listHref({ state: 'failing' })}>All failing objects</a>}
      </Panel>
      <Panel title="Next deadlines">
        {nextDeadlines.length === 0 ? <p class="quiet">None.</p> : <ObjectTable rows={nextDeadlines} now={now} />}
      </Panel>
      <p class="quiet">
        The table was read <Time at={view.readAt} now={now} />.
      </p>
    </>
  );
}

function busiest({ backlog }: Overview): string {
  const [most] = [...backlog].sort((a, b) => b.count - a.count);
  return most === undefined || most.count === 0 ? 'all queues are empty' : `${most.queue}: ${most.count}`;
}

function Figure({
  title,
  value,
  more,
  href,
  isBad,
}: {
  readonly title: string;
  readonly value: string;
  readonly more: string;
  readonly href?: string;
  readonly isBad?: boolean;
}) {
  return (
    <div class={isBad === true ? 'figure bad' : 'figure'}>
      <dt>{href === undefined ? title : <a href={href}>{title}</a>}</dt>
      <dd>
        <strong>{value}</strong> <span class="quiet">{more}</span>
      </dd>
    </div>
  );
}

function Kinds({ kinds }: { readonly kinds: readonly KindCount[] }) {
  const states = OBJECT_STATES.filter((state) => kinds.some(({ counts }) => (counts[state] ?? 0) > 0));
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            {states.map((state) => (
              <th scope="col" key={state}>
                {STATE_NAMES[state]}
              </th>
            ))}
            <th scope="col">all</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, kindId, counts, total }) => (
            <tr key={kindId}>
              <th scope="row">
                <Text of={kind} />
              </th>
              {states.map((state) => (
                <td key={state}>
                  <Count
                    count={counts[state] ?? 0}
                    href={listHref({ kind: kindId, state })}
                    label={`${kind}: ${STATE_NAMES[state]}`}
                    state={state}
                  />
                </td>
              ))}
              <td>
                <Count count={total} href={listHref({ kind: kindId })} label={`${kind}: all`} state="all" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Count({
  count,
  href,
  label,
  state,
}: {
  readonly count: number;
  readonly href: string;
  readonly label: string;
  readonly state: string;
}) {
  if (count === 0) return <span class="quiet">0</span>;
  return (
    <a href={href} aria-label={`${label}: ${count}`} class={`count ${state}`}>
      {count}
    </a>
  );
}
