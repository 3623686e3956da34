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
 * Reads the events of a watch; its body is newline-delimited JSON.
 * @throws ApiError Malformed for another body, or for a body that ends inside an event; the error of the chunks.
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

/** The decoder's error is dropped, because it may contain a part of the body. */
function decoded<T>(call: ApiCall, decode: () => T): T {
  try {
    return decode();
  } catch {
    throw malformed(call, 200, 'it is not lines of UTF-8');
  }
}
