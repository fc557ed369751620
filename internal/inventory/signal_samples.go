package inventory

var sampleLangs = wordSet(`python py typescript ts javascript js tsx jsx rust go java kotlin swift c cpp c++ csharp cs ruby rb php
	yaml yml toml json jsonc hcl terraform tf css scss html xml vue svelte sql graphql dockerfile ini lua makefile nix proto`)

// Signal code_samples: fences in another language than the shell's. The text teaches what
// to write, or wants it written; neither is a step that gathers and decides.
func sample(lang string) bool { return sampleLangs[lang] }
