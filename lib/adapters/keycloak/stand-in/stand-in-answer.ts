export interface StandInAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

export function ok(body: unknown): StandInAnswer {
  return { status: 200, body };
}

export function noContent(): StandInAnswer {
  return { status: 204 };
}

export function created(location: string): StandInAnswer {
  return { status: 201, headers: { location: `http://stand-in/admin/realms/-/${location}` } };
}

export function forbidden(): StandInAnswer {
  return { status: 403, body: { error: 'HTTP 403 Forbidden' } };
}

export function conflict(errorMessage: string): StandInAnswer {
  return { status: 409, body: { errorMessage } };
}

export function notFound(error: string): StandInAnswer {
  return { status: 404, body: { error } };
}

export function invalid(): StandInAnswer {
  return { status: 400, body: { error: 'unable to read contents from stream' } };
}

export function notAllowed(): StandInAnswer {
  return { status: 405, body: { error: 'HTTP 405 Method Not Allowed' } };
}
