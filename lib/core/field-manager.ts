/** The name under which a controller writes: the API server keeps it in managedFields, and it never changes. */
export function fieldManagerOf(controllerName: string): string {
  return `evenkeel-${controllerName}`;
}
