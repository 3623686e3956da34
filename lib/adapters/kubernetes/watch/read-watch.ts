import type { WatchEvent } from '../../../ports/cluster-api.ts';
import { malformed } from '../answer-error.ts';
import type { ApiCall } from '../api-call.ts';
import { LineDecoder } from './line-decoder.ts';
import { readWatchEvent } from './watch-event.ts';

const TOO_LONG: WatchEvent = {
  type: 'UNREADABLE',
  unreadable: { namespace: '', name: '', uid: '', why: 'its event is larger than is read of one' },
};

/**
 * The events in the body of a watch, newline-delimited JSON.
 * @throws ApiError Malformed for a body that is none, one that ends inside an event included; else what the chunks throw.
 */
export async function* readWatch(
  call: ApiCall,
  chunks: AsyncIterable<Uint8Array>,
  metadataOnly: boolean,
): AsyncGenerator<WatchEvent, void, undefined> {
  const decoder = new LineDecoder();
  for await (const chunk of chunks) {
    for (const line of decoded(call, () => decoder.push(chunk))) {
      const event = line === undefined ? TOO_LONG : readWatchEvent(call, line, metadataOnly);
      if (event !== undefined) yield event;
    }
  }
  const rest = decoded(call, () => decoder.end());
  if (rest === '') return;
  if (rest === undefined) throw malformed(call, 200, 'it ends inside an event');
  const event = readWatchEvent(call, rest, metadataOnly);
  if (event !== undefined) yield event;
}

/** The decoder's error is dropped: nothing of the body may reach a log. */
function decoded<T>(call: ApiCall, decode: () => T): T {
  try {
    return decode();
  } catch {
    throw malformed(call, 200, 'it is not lines of UTF-8');
  }
}
