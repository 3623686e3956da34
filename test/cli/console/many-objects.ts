import type { ConsoleSource } from '../../../cli/console/console-source.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import type { StateStore, TargetState } from '../../../lib/ports/state-store.ts';
import { Widgets } from '../../support/widget.ts';

const PAGE = 500;

/** As many objects as a large table has, made while they are read. @param more what each of them has in addition. */
export function manyObjects(
  source: ConsoleSource,
  count: number,
  more: (index: number) => Partial<TargetState> = () => ({}),
): { readonly source: ConsoleSource } {
  const { shards } = source.inspection.store;
  const perShard = Math.ceil(count / shards);
  const inventory: StateStore['inventory'] = async (_, kind, shard, after = '0') => {
    const from = Number(after);
    const items = Array.from({ length: Math.min(PAGE, perShard - from) }, (__, index): TargetState => {
      const at = (((from + index) * shards + shard) * 7_919) % count;
      const id = String(at).padStart(6, '0');
      return {
        target: { cluster: 'test', kind, uid: `u${id}`, namespace: `n${id.at(-1)}`, name: `o${id}` },
        epoch: 1,
        committedEpoch: 1,
        dirty: [],
        failures: 0,
        values: {},
        wakeSent: false,
        versions: {},
        edges: [],
        ...more(at),
      };
    });
    return from + PAGE < perShard ? { items, next: String(from + PAGE) } : { items };
  };
  return { source: withStore(source, { inventory }) };
}

/** The source with some methods of its table replaced. */
export function withStore(source: ConsoleSource, methods: Partial<StateStore>): ConsoleSource {
  const store = new Proxy(source.inspection.store, {
    get(target, name) {
      const own = Reflect.get(methods, name) as unknown;
      if (own !== undefined) return own;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...source, inspection: { ...source.inspection, store } };
}

export const WIDGETS = kindId(Widgets);
