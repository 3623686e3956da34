import type { ClusterView } from '../api-types.ts';
import { Action, Panel, Time, useNow } from './parts.tsx';
import type { Loaded } from './server.ts';
import { Text } from './text.tsx';

export function ClusterPage({ view, aheadMs }: Loaded<ClusterView>) {
  const now = useNow(aheadMs);
  if (view === undefined) return null;
  const { groups, cluster } = view;
  return (
    <>
      <h1>
        Cluster <Text of={cluster} />
      </h1>
      <StatePanel view={view} now={now} />
      <RelayPanel view={view} now={now} />
      <Panel title="Controller groups">
        <ul>
          {groups.map(({ group, drivenBy }) => (
            <li key={group}>
              <Text of={group} />{' '}
              <span class="quiet">{drivenBy === undefined ? '' : <Text of={`driven by ${drivenBy}`} />}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

interface Shown {
  readonly view: ClusterView;
  readonly now: number;
}

function StatePanel({ view: { clusterState, readOnly, cluster, by }, now }: Shown) {
  const { paused, pauseNote, unreachableUntil } = clusterState;
  return (
    <Panel title="State">
      <p class={paused ? 'bad' : ''}>
        {paused ? 'Reconciliation is paused.' : 'Objects are reconciled.'}{' '}
        {pauseNote !== undefined && (
          <span class="quiet">
            {paused ? 'Paused' : 'Resumed'} by <Text of={pauseNote.by} /> <Time at={pauseNote.at} now={now} />
          </span>
        )}
      </p>
      {unreachableUntil !== undefined && (
        <p class="bad">
          The cluster does not answer. It is tried again <Time at={unreachableUntil} now={now} />.
        </p>
      )}
      {paused ? (
        <Action
          action="resume"
          body={{}}
          label="Resume"
          disabled={readOnly}
          question={`Resume reconciliation of cluster ${cluster}? ${by} is recorded with it.`}
        />
      ) : (
        <Action
          action="pause"
          body={{}}
          label="Pause"
          disabled={readOnly}
          question={`Pause reconciliation of cluster ${cluster}? Events and timers are kept. ${by} is recorded with it.`}
        />
      )}
    </Panel>
  );
}

function RelayPanel({ view: { clusterState, watches }, now }: Shown) {
  const { relay, incarnation } = clusterState;
  return (
    <Panel title="Relay">
      {relay === undefined ? (
        <p class="bad">No relay holds the cluster: changes are found by resync only.</p>
      ) : (
        <p>
          <Text of={relay.owner} /> holds the cluster; its hold ends <Time at={relay.until} now={now} /> unless it is
          renewed.
        </p>
      )}
      <p class="quiet">Epoch of the cluster: {incarnation}</p>
      <ul>
        {watches.map(({ kind, kindId, version, heardAt }) => (
          <li key={kindId}>
            <Text of={kind} />{' '}
            <span class="quiet">
              {version === undefined ? 'not watched yet' : `at version ${version}, last seen `}
              {heardAt !== undefined && <Time at={heardAt} now={now} />}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
