import type { ObjectView, ShownCondition } from '../api-types.ts';
import { Action, Badge, Panel, Time, useNow } from './parts.tsx';
import type { Loaded } from './server.ts';
import { duration, relative, Text } from './text.tsx';

type Read = ObjectView['explanation']['reads'][number];
type Past = ObjectView['explanation']['passes'][number];

export function ObjectPageView({ view, aheadMs }: Loaded<ObjectView>) {
  const now = useNow(aheadMs);
  if (view === undefined) return null;
  const { row, explanation, why, conditions, ownedKinds, readBy, moreReaders, readOnly } = view;
  const { kindId, namespace, name } = row;
  const owned = explanation.reads.filter(({ kind }) => ownedKinds.includes(kind));
  const read = explanation.reads.filter(({ kind }) => !ownedKinds.includes(kind));
  return (
    <>
      <h1>
        <Text of={namespace === '' ? name : `${namespace}/${name}`} /> <Badge state={row.counted} />
      </h1>
      <p class="quiet">
        <Text of={view.kind} /> · <span class="uid">{explanation.uid}</span>
      </p>
      <Action
        action="requeue"
        body={{ kind: kindId, namespace, name }}
        label="Start a pass now"
        question={`Start a pass of ${view.kind} ${namespace === '' ? '' : `${namespace}/`}${name} now? ${view.by} is recorded with it.`}
        disabled={readOnly}
      />
      <PauseAction view={view} />
      <Panel title="Why" id="why">
        <ul class="why">
          {why.map((sentence, index) => (
            <li key={sentence} class={index === 0 ? 'cause' : ''}>
              <Text of={sentence} />
            </li>
          ))}
        </ul>
      </Panel>
      <Deadline view={view} now={now} />
      <Conditions conditions={conditions} main={row.condition} now={now} generation={view.generation} />
      <Panel title="Last passes">
        <Passes passes={explanation.passes} now={now} />
      </Panel>
      <Panel title="Reads">
        <Reads reads={read} now={now} nothing="It reads only itself." />
      </Panel>
      <Panel title="Owns">
        <Reads reads={owned} now={now} nothing="Its last pass saw no object that it owns." />
      </Panel>
      <Panel title="Read by">
        {readBy.length === 0 && <p class="quiet">No object read it.</p>}
        <ul>
          {readBy.map((reader) => (
            <li key={`${reader.kind}/${reader.namespace}/${reader.name}`}>
              <Text of={`${reader.kind} ${reader.namespace === '' ? '' : `${reader.namespace}/`}${reader.name}`} />
            </li>
          ))}
        </ul>
        {moreReaders && <p class="quiet">There are more.</p>}
      </Panel>
      <Details view={view} now={now} />
    </>
  );
}

function PauseAction({ view }: { readonly view: ObjectView }) {
  const { pausedByAnnotation, row, readOnly, by, kind } = view;
  if (pausedByAnnotation === undefined) return null;
  const { kindId, namespace, name } = row;
  const label = pausedByAnnotation ? 'Resume this object' : 'Pause this object';
  return (
    <Action
      action={pausedByAnnotation ? 'resume-object' : 'pause-object'}
      body={{ kind: kindId, namespace, name }}
      label={label}
      question={`${pausedByAnnotation ? 'Resume' : 'Pause'} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}? ${by} is recorded with it.`}
      disabled={readOnly}
    />
  );
}

function Deadline({ view: { explanation }, now }: { readonly view: ObjectView; readonly now: number }) {
  const { next, failures } = explanation;
  return (
    <Panel title="Next pass">
      {next === undefined ? (
        <p>When something changes.</p>
      ) : (
        <p>
          <strong class="countdown">{relative(Date.parse(next.at) - now)}</strong>{' '}
          <Text of={`because of: ${next.why}`} /> <span class="quiet">{next.at}</span>
        </p>
      )}
      {failures > 0 && (
        <p class="bad">
          {failures === 1 ? 'The last pass failed.' : `The last ${failures} passes failed.`} The time until the next try
          grows with each failure.
        </p>
      )}
    </Panel>
  );
}

function Conditions({
  conditions,
  main,
  now,
  generation,
}: {
  readonly conditions: readonly ShownCondition[] | undefined;
  readonly main: string | undefined;
  readonly now: number;
  readonly generation: number | undefined;
}) {
  if (conditions === undefined)
    return (
      <Panel title="Conditions">
        <p>
          <Text of={main ?? 'The last pass recorded no main condition.'} />
        </p>
        <p class="quiet">This machine does not reach the cluster: kubectl shows all conditions.</p>
      </Panel>
    );
  return (
    <Panel title="Conditions">
      {conditions.length === 0 && <p class="quiet">The object has none.</p>}
      <ul class="conditions">
        {conditions.map(({ type, status, reason, message, observedGeneration, lastTransitionTime }) => (
          <li key={type}>
            <span class={`status ${status}`}>
              <Text of={type} /> {status}
            </span>{' '}
            <Text of={reason} /> <Text of={message} />{' '}
            <span class="quiet">
              {lastTransitionTime !== undefined && <Time at={lastTransitionTime} now={now} />}
              {observedGeneration !== undefined && generation !== undefined && observedGeneration < generation
                ? `, for generation ${observedGeneration} of ${generation}`
                : ''}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Passes({ passes, now }: { readonly passes: readonly Past[]; readonly now: number }) {
  if (passes.length === 0) return <p class="quiet">The item has none, or no room for them.</p>;
  return (
    <ol class="passes">
      {passes.map((pass) => (
        <li key={pass.at} class={pass.outcome === 'retry' || pass.outcome === 'terminal' ? 'bad' : ''}>
          <Time at={pass.at} now={now} /> <strong>{pass.outcome}</strong> <Text of={pass.reason} />
          <div>
            {pass.causes.map((cause) => (
              <span class="cause" key={cause}>
                <Text of={cause} />
              </span>
            ))}
            {pass.moreCauses > 0 && <span class="cause">and {pass.moreCauses} more</span>}
          </div>
          <div class="quiet">
            waited {duration(pass.queueDelayMs)}, took {duration(pass.durationMs)}
            {pass.attempts > 1 && `, ${pass.attempts} attempts`}
            {pass.writes.count > 0 && (
              <>
                , {pass.writes.count === 1 ? '1 write' : `${pass.writes.count} writes`} as{' '}
                <Text of={pass.writes.fieldManager ?? 'its field manager'} />:{' '}
                <Text of={pass.writes.shown.join('; ')} />
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Reads({
  reads,
  now,
  nothing,
}: {
  readonly reads: readonly Read[];
  readonly now: number;
  readonly nothing: string;
}) {
  if (reads.length === 0) return <p class="quiet">{nothing}</p>;
  return (
    <ul>
      {reads.map(({ kind, namespace, name, version, nextPoll }) => (
        <li key={`${kind}/${namespace}/${name}`}>
          <Text of={nameOf(kind, namespace, name)} />{' '}
          <span class={version === 'absent' ? 'bad' : 'quiet'}>
            {version === 'absent' ? 'was absent' : version === undefined ? '' : `at version ${version}`}
          </span>
          {nextPoll !== undefined && (
            <span class="quiet">
              , read again <Time at={nextPoll} now={now} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf(kind: string, namespace: string, name: string): string {
  if (name === '*') return `${kind} in ${namespace === '' ? 'all namespaces' : namespace} (a list)`;
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function Details({ view: { explanation }, now }: { readonly view: ObjectView; readonly now: number }) {
  const { epoch, committedEpoch, observed, reconcilerVersion, values, hiddenValues, marks, lease } = explanation;
  const rows: [string, string][] = [
    ['epoch', `${epoch}, committed ${committedEpoch}`],
    ['observed version', String(observed?.version ?? 'not recorded')],
    ['observed generation', String(observed?.generation ?? 'none')],
    ['controller version', reconcilerVersion ?? 'not recorded'],
    ...Object.entries(values).map(([name, value]): [string, string] => [`value ${name}`, String(value)]),
    ...hiddenValues.map((name): [string, string] => [`value ${name}`, 'is set (not shown)']),
    ...marks.map((mark): [string, string] => ['unseen event', mark]),
  ];
  return (
    <Panel title="Details">
      <dl class="details">
        {lease !== undefined && (
          <div>
            <dt>lease</dt>
            <dd>
              <Text of={lease.owner} /> {lease.ended ? 'ended' : 'ends'} <Time at={lease.until} now={now} />
            </dd>
          </div>
        )}
        {rows.map(([title, text]) => (
          <div key={title}>
            <dt>
              <Text of={title} />
            </dt>
            <dd>
              <Text of={text} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

export function objectAddress([kindId = '', namespace = '', name = '']: readonly string[]): string {
  return `object?${new URLSearchParams({ kind: kindId, namespace, name })}`;
}
