import type { DeadLetterView } from '../api-types.ts';
import { BulkPanel, BulkReportPanel } from './bulk.tsx';
import { Action, Panel, Time, useNow } from './parts.tsx';
import type { Route } from './route.ts';
import type { Loaded } from './server.ts';
import { Text } from './text.tsx';

export function DeadLettersPage({
  route: { query },
  view,
  aheadMs,
}: Loaded<DeadLetterView> & { readonly route: Route }) {
  const now = useNow(aheadMs);
  const text = query.get('text') ?? '';
  if (view === undefined) return null;
  const { queues, by, readOnly, selected } = view;
  const total = queues.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <h1>Dead letters</h1>
      <BulkReportPanel disabled={readOnly} />
      {total === 0 && <p class="quiet">There are no dead letters.</p>}
      {total > 0 && (
        <>
          <Filter text={text} />
          <BulkPanel
            actions={[['redrive', 'Send again']]}
            filter={{ text }}
            selected={selected}
            noun={['message', 'messages']}
            by={by}
            disabled={readOnly}
          />
        </>
      )}
      {queues
        .filter((queue) => queue.count > 0 && (text === '' || queue.selected > 0))
        .map((queue) => (
          <Panel title={queue.name} key={queue.name}>
            <p>{queue.count === 1 ? '1 message' : `${queue.count} messages`}</p>
            {text === '' && (
              <Action
                action="redrive"
                body={{ queue: queue.name }}
                label="Send again"
                disabled={readOnly}
                question={`Send the messages of ${queue.name} to their queue again? ${by} is recorded with it.`}
              />
            )}
            <Letters letters={queue.letters} now={now} />
            {queue.selected > queue.letters.length && (
              <p class="quiet">{queue.selected - queue.letters.length} more are not shown.</p>
            )}
          </Panel>
        ))}
    </>
  );
}

function Filter({ text }: { readonly text: string }) {
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = String(new FormData(event.currentTarget).get('text') ?? '');
          location.hash = wanted === '' ? '#/dead-letters' : `#/dead-letters?${new URLSearchParams({ text: wanted })}`;
        }}
      >
        <label>
          Search
          <input type="search" name="text" defaultValue={text} placeholder="queue, object, reason" maxLength={253} />
        </label>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

function Letters({
  letters,
  now,
}: {
  readonly letters: DeadLetterView['queues'][number]['letters'];
  readonly now: number;
}) {
  return (
    <ul class="letters">
      {letters.map(({ messageId, sentAt, reason, subject }) => (
        <li key={messageId}>
          <Time at={sentAt} now={now} /> <Text of={subject} />{' '}
          <span class="bad">
            <Text of={reason} />
          </span>
        </li>
      ))}
    </ul>
  );
}
