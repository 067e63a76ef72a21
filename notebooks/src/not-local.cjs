// Stands for every library that a notebook could load from a CDN and that is not installed here: it says so when used.
// CommonJS, because whatever name is imported from it must exist.
module.exports = new Proxy(
  {},
  {
    get(_target, key) {
      if (key === "__esModule") return true;
      throw new Error(
        `${String(key)} is of a library that is not installed: notebooks load nothing from elsewhere`,
      );
    },
  },
);
