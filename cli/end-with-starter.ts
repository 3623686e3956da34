/**
 * Ends this process when its starter ends, for any reason. The starter is the process on an old Node.js
 * (bin/evenkeel.js). When the channel between them closes, this counts as SIGTERM. Otherwise a kill of the starter
 * would leave this process running.
 */
export function endWithStarter(): void {
  const isStarted = process.env.EVENKEEL_STARTER !== undefined;
  delete process.env.EVENKEEL_STARTER;
  if (!isStarted) return;
  const end = () => void process.kill(process.pid, 'SIGTERM');
  process.on('disconnect', end);
  // A listener must not keep this process running.
  process.channel?.unref();
  if (process.connected === false) end();
}
