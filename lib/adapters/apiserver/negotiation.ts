import { notAcceptable } from './api-error.ts';

/** The form in which an answer is given: the objects themselves, their metadata only, or rows of a table. */
export type Representation = 'object' | 'metadata' | 'table';

interface Offer {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Picks the representation that the Accept header asks for, in its order of preference. A client that accepts only
 * forms that are not served here (protobuf, CBOR) gets the ApiError of 406.
 */
export function negotiate(accept: string | undefined): Representation {
  if (accept === undefined || accept.trim() === '') return 'object';
  const offers = accept.split(',').map(parseOffer);
  offers.sort((left, right) => right.quality - left.quality);
  for (const { type, parameters } of offers) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const as = parameters.get('as');
    if (as === undefined) return 'object';
    if (parameters.get('g') !== 'meta.k8s.io') continue;
    const version = parameters.get('v');
    if (version !== 'v1' && version !== 'v1beta1') continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata';
  }
  throw notAcceptable(['application/json']);
}

/** Whether the header asks for the aggregated discovery document, v2. */
export function wantsAggregatedDiscovery(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((part) => {
    const { parameters } = parseOffer(part);
    return (
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2'
    );
  });
}

function parseOffer(part: string): Offer {
  const [type = '', ...rest] = part.split(';').map((piece) => piece.trim());
  const parameters = new Map<string, string>();
  for (const piece of rest) {
    const [name = '', value = ''] = piece.split('=', 2);
    parameters.set(name.trim(), value.trim());
  }
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}
