#pragma once
// Boost is C++: only the CHTTPServer shim includes it. This header makes the dependency a target of the package.
