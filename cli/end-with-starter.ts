/**
 * Ends this process with the one that started it on an old Node.js (bin/evenkeel.js), however that one ends: the channel
 * between them closes, which counts as SIGTERM. Otherwise a kill of the starter would leave a process that nobody knows of.
 */
export function endWithStarter(): void {
  const isStarted = process.env.EVENKEEL_STARTER !== undefined;
  delete process.env.EVENKEEL_STARTER;
  if (!isStarted) return;
  const end = () => void process.kill(process.pid, 'SIGTERM');
  process.on('disconnect', end);
  // A listener would keep this process alive.
  process.channel?.unref();
  if (process.connected === false) end();
}
