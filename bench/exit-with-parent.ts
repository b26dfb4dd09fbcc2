// Preloaded into every process that the bench starts. The process ends when the bench ends, also after a crash.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The server does not use the channel. An open channel must not keep the process alive.
process.channel?.unref();
