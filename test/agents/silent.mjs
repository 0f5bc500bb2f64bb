// Does nothing and never ends, like an engine that waits for a server that does not answer.
setInterval(() => {}, 1000);
