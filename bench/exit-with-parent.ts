// Loaded into every process that the bench starts: when the bench is gone, so is the process.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The product knows nothing of the channel, which must not keep it from ending.
process.channel?.unref();
