/**
 * The time since `time`, as kubectl shows it: `45s`, `5m10s`, `3h`, `2d`, `1y20d`. The thresholds are those of
 * k8s.io/apimachinery's HumanDuration.
 */
export function age(time: string, nowMs: number): string {
  const thenMs = Date.parse(time);
  if (Number.isNaN(thenMs)) return '<unknown>';
  const seconds = Math.floor((nowMs - thenMs) / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  if (days < 2920) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function withRest(amount: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${amount}${unit}` : `${amount}${unit}${rest}${restUnit}`;
}
