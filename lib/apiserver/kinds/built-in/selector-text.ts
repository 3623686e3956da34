import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../../json.ts';

/** A label selector (meta.k8s.io/v1 LabelSelector) as tables show it. */
export function selectorText(selector: JsonObject | undefined): string {
  const equal = Object.entries(objectAt(selector, 'matchLabels') ?? {}).map(
    ([key, value]) => `${key}=${String(value)}`,
  );
  const expressions = objectsAt(selector, 'matchExpressions').map((each) => {
    const key = stringAt(each, 'key');
    const values = `(${stringsAt(each, 'values').toSorted().join(',')})`;
    switch (stringAt(each, 'operator')) {
      case 'In':
        return `${key} in ${values}`;
      case 'NotIn':
        return `${key} notin ${values}`;
      case 'Exists':
        return key;
      default:
        return `!${key}`;
    }
  });
  const terms = [...equal, ...expressions].sort();
  return terms.length === 0 ? '<none>' : terms.join(',');
}

/** Plain labels as tables show them. */
export function labelsText(labels: JsonObject | undefined): string {
  return selectorText(labels === undefined ? undefined : { matchLabels: labels });
}
