// Numbers that kernels of all kinds share.
#pragma once

// threads of a warp, and all of them as a mask
constexpr int LANES = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;
// no element, where an id is expected
constexpr unsigned NONE = 0xffffffffu;
