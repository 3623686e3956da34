import { type ApiError, notAcceptable } from './api-error.ts';

/** The form of an answer: the objects, only their metadata, or rows of a table. */
export type Representation = 'object' | 'metadata' | 'table';

interface Offer {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Selects the form of the answer from the Accept header, in the header's order of preference. The metadata form has one
 * name for a list and another one for a single object (and for each event of a watch).
 * @throws ApiError 406 when the client accepts only forms that are not served here (protobuf, CBOR), or a list form for
 * a single object.
 */
export function negotiate(accept: string | undefined, isList: boolean): Representation {
  if (accept === undefined || accept.trim() === '') return 'object';
  const offers = accept.split(',').map(parseOffer);
  offers.sort((left, right) => right.quality - left.quality);
  for (const { type, parameters } of offers) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const as = parameters.get('as');
    if (as === undefined) return 'object';
    const version = parameters.get('v');
    if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' && isList) {
      throw mismatch(as, 'a list (*unstructured.UnstructuredList)');
    }
    if (as === 'PartialObjectMetadataList' && !isList) {
      throw mismatch(as, 'not a list (*unstructured.Unstructured)');
    }
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata';
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}

function mismatch(requested: string, found: string): ApiError {
  return notAcceptable(`you requested ${requested}, but the requested object is ${found}`);
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
