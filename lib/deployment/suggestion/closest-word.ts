/** The known word that is closest to `word`; undefined when none is similar. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  const wanted = normalised(word);
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const target = normalised(candidate);
    const distance = target === wanted ? 0 : editDistance(wanted, target);
    const isNear = distance <= Math.max(1, Math.floor(Math.max(wanted.length, target.length) / 3));
    if (isNear && (best === undefined || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const closest = closestWord(word, known);
  return closest === undefined ? '' : ` Did you mean "${closest}"?`;
}

function normalised(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}

/** Optimal string alignment: a swap of two neighbours, the most frequent mistake, counts as one edit. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    const above = rows[row - 1] ?? [];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped && row > 1 && column > 1) cost = Math.min(cost, (rows[row - 2]?.[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    rows.push(current);
  }
  return rows[left.length]?.[right.length] ?? 0;
}
