import { z } from 'zod';

const NAME = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** The name of most Kubernetes objects: a DNS subdomain (RFC 1123), at most 253 characters. */
export function dnsName() {
  return z
    .string()
    .max(253)
    .regex(new RegExp(`^${NAME}(\\.${NAME})*$`));
}

/** The name of a namespace, a Service or a container: a DNS label (RFC 1123), at most 63 characters. */
export function dnsLabel() {
  return z
    .string()
    .max(63)
    .regex(new RegExp(`^${NAME}$`));
}

/** A duration such as `30s`, `1h30m` or `250ms`; `parseDuration` returns its milliseconds. */
export function duration() {
  return z
    .string()
    .max(64)
    .regex(/^([0-9]+(\.[0-9]+)?(h|ms|m|s))+$/);
}

/** A quantity such as `500m`, `1.5Gi` or `2`, as Kubernetes writes resources. */
export function quantity() {
  return z.union([
    z.int(),
    z
      .string()
      .max(64)
      .regex(/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?$/),
  ]);
}

/** A number, or a text such as a name or a percentage. */
export function intOrString() {
  return z.union([z.int(), z.string()]);
}

/** A port number, 1 to 65535. */
export function port() {
  return z.int().min(1).max(65_535);
}

/** The value of a label: empty, or at most 63 letters, digits, dashes, dots and underscores. */
export function labelValue() {
  return z
    .string()
    .max(63)
    .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/);
}
