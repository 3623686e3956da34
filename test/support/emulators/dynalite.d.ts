declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** All in memory. The times are how long a table stays in a transitional state. */
  export default function dynalite(options: {
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }): Server;
}
