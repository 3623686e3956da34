import type { NameRule } from '../state/resource-type.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const labelPattern = new RegExp(`^${label}$`);
const label1035Pattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`);
const qualifiedPattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const valuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function atMost(limit: number): string {
  return `must be no more than ${limit} bytes`;
}

export function subdomainFaults(name: string): string[] {
  return [...(name.length > 253 ? [atMost(253)] : []), ...(subdomainPattern.test(name) ? [] : [subdomainText])];
}

export function labelFaults(name: string): string[] {
  if (name.includes('.')) return ['must not contain dots'];
  return [...(name.length > 63 ? [atMost(63)] : []), ...(labelPattern.test(name) ? [] : [labelText])];
}

export function label1035Faults(name: string): string[] {
  return [...(name.length > 63 ? [atMost(63)] : []), ...(label1035Pattern.test(name) ? [] : [label1035Text])];
}

function pathFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

/**
 * The errors of a `metadata.name`, with the text of the real server. A generateName is checked as if more characters
 * followed, so it may end in a dash or a dot.
 */
export function nameFaults(rule: NameRule, name: string, isPrefix = false): string[] {
  const judged = isPrefix && /[-.]$/.test(name) && rule !== 'path' ? `${name.slice(0, -1)}a` : name;
  switch (rule) {
    case 'subdomain':
      return [...pathFaults(judged), ...subdomainFaults(judged)];
    case 'label':
      return [...pathFaults(judged), ...labelFaults(judged)];
    case 'label1035':
      return [...pathFaults(judged), ...label1035Faults(judged)];
    case 'path':
      return pathFaults(judged);
  }
}

/**
 * The errors of a label key, an annotation key or a finalizer. Valid are `name`, and `prefix/name` with a subdomain as
 * prefix.
 */
export function qualifiedNameFaults(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedText.replace('name part must', 'must')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const faults: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') faults.push('prefix part must be non-empty');
    else faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (name.length > 63) faults.push(`name part ${atMost(63)}`);
  if (!qualifiedPattern.test(name)) faults.push(qualifiedText);
  return faults;
}

export function labelValueFaults(value: string): string[] {
  return [...(value.length > 63 ? [atMost(63)] : []), ...(valuePattern.test(value) ? [] : [labelValueText])];
}
