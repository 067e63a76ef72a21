// A host that never says hello: a driver that hangs as its device is opened.
setInterval(() => {}, 1_000);
