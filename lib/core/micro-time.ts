/** `metav1.MicroTime`, the form of a Lease's and an Event's times: RFC 3339 with six digits of a second. */
export function kubeMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
