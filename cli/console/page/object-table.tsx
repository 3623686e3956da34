import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { visibleText } from '../../../lib/deployment/terminal/visible-text.ts';
import type { ObjectPage, ObjectRow } from '../api-types.ts';
import { Badge, Time } from './parts.tsx';
import { objectHref } from './route.ts';
import { useView } from './server.ts';
import { Text } from './text.tsx';

/** Objects, one in a line; on a narrow screen each is a card. */
export function ObjectTable({ rows, now }: { readonly rows: readonly ObjectRow[]; readonly now: number }) {
  return (
    <table class="objects">
      <Head />
      <tbody>
        {rows.map((row) => (
          <Row key={row.uid} row={row} now={now} />
        ))}
      </tbody>
    </table>
  );
}

/** The rows of one request. */
export const WINDOW_ROWS = 150;
/** A new part is requested after so many rows. It is less than a third of a window: rows are ready before they are seen. */
const STEP_ROWS = 50;
/** Until the first row is measured. */
const ROW_PX = 56;

/**
 * The rows of a list that are on the screen, and some more. The others are only space, so that any number of objects
 * scrolls like a short list.
 * @param address of the list in the API.
 * @param first its first rows.
 */
export function VirtualTable({
  address,
  first,
  now,
}: {
  readonly address: string;
  readonly first: ObjectPage;
  readonly now: number;
}) {
  const table = useRef<HTMLTableElement>(null);
  const rowPx = useRowHeight(table);
  const from = useFirstWanted(table, rowPx);
  const far = useView<ObjectPage>(from === 0 ? undefined : `${address}&from=${from}`, address);
  const { rows, from: at, selected } = (from === 0 ? undefined : far.view) ?? first;
  const left = Math.max(0, selected - at - rows.length);
  return (
    <table class="objects virtual" ref={table} aria-rowcount={selected + 1}>
      <Head />
      <tbody>
        <Space rows={at} rowPx={rowPx} />
        {rows.map((row, index) => (
          <Row key={row.uid} row={row} now={now} index={at + index + 2} />
        ))}
        <Space rows={left} rowPx={rowPx} />
      </tbody>
    </table>
  );
}

function useRowHeight(table: { readonly current: HTMLTableElement | null }): number {
  const [rowPx, setRowPx] = useState(ROW_PX);
  const measure = () => {
    const height = table.current?.querySelector('tr[aria-rowindex]')?.getBoundingClientRect().height;
    if (height !== undefined && height > 0) setRowPx(height);
  };
  useLayoutEffect(measure);
  useEffect(() => {
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  return rowPx;
}

/** The position of the first row to request, from how far the page was scrolled. */
function useFirstWanted(table: { readonly current: HTMLTableElement | null }, rowPx: number): number {
  const [from, setFrom] = useState(0);
  useEffect(() => {
    const look = () => {
      const top = table.current?.getBoundingClientRect().top ?? 0;
      const step = Math.floor(Math.max(0, -top) / rowPx / STEP_ROWS);
      setFrom(Math.max(0, step - 1) * STEP_ROWS);
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, [rowPx]);
  return from;
}

function Space({ rows, rowPx }: { readonly rows: number; readonly rowPx: number }) {
  if (rows === 0) return null;
  return (
    <tr class="space">
      <td colSpan={6} style={{ height: `${Math.round(rows * rowPx)}px` }} />
    </tr>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        {['State', 'Object', 'Cause', 'Failures', 'Last pass', 'Next'].map((title) => (
          <th scope="col" key={title}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** @param index the position in the table for screen readers, from 1; absent when all rows are in the page. */
function Row({ row, now, index }: { readonly row: ObjectRow; readonly now: number; readonly index?: number }) {
  const cause = causeOf(row);
  return (
    <tr aria-rowindex={index}>
      <td>
        <Badge state={row.counted} />
      </td>
      <td class="name">
        <a href={objectHref(row)}>
          <Text of={row.namespace === '' ? row.name : `${row.namespace}/${row.name}`} />
        </a>
        <span class="quiet">
          <Text of={row.kind} />
        </span>
      </td>
      <td class="reason" title={visibleText(cause)}>
        <Text of={cause} />
      </td>
      <td data-title="Failures" class={row.failures === 0 ? 'zero' : ''}>
        {row.failures}
      </td>
      <td data-title="Last pass">
        <Time at={row.lastPassAt} now={now} />
      </td>
      <td data-title="Next">
        {row.nextAt === undefined ? <span class="quiet">on a change</span> : <Time at={row.nextAt} now={now} />}
      </td>
    </tr>
  );
}

function causeOf({ failing, outcome, reason, condition, ready }: ObjectRow): string {
  if (!failing && ready === false) return condition ?? '';
  return [outcome, reason].filter((part) => part !== '').join(' ');
}
