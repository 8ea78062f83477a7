#pragma once
// toml++ is C++: only the CTOML shim includes it. This header makes the library's flags a target of the package.
