/** The name of a controller's field manager. The API server keeps it in managedFields, so it never changes. */
export function fieldManagerOf(controllerName: string): string {
  return `evenkeel-${controllerName}`;
}
