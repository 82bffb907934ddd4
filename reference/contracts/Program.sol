// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// One swap of a program: which pool, and what share of the token at hand it takes.
struct Swap {
    Hop hop;
    Share share;
}

/// A pool and its two tokens in one word. From the lowest bit:
///
/// | bits | field |
/// | --- | --- |
/// | 0..159 | address of the pool |
/// | 160..167 | index of the token that goes in |
/// | 168..175 | index of the token that comes out |
/// | 176..183 | who receives what comes out: the index of a swap, `ROUTER` or `RECEIVER` |
/// | 184 | the pool is concentrated (Uniswap V3), else a constant product (Uniswap V2) |
/// | 185 | the swaps before this one pay straight into the pool |
/// | 186 | the token that goes in is the pool's token0 |
/// | 192..215 | fee in millionths of the input, for a constant product |
type Hop is uint256;

/// A fraction: the numerator in the upper 128 bits, the denominator in the lower 128.
type Share is uint256;

using HopLibrary for Hop global;
using ShareLibrary for Share global;

/// @title Reads the fields of a hop
library HopLibrary {
    /// The output stays in the router, for several swaps to share.
    uint256 internal constant ROUTER = 0xfe;
    /// The output is what was bought.
    uint256 internal constant RECEIVER = 0xff;

    function pool(Hop hop) internal pure returns (address) {
        return address(uint160(Hop.unwrap(hop)));
    }

    function tokenIn(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 160) & 0xff;
    }

    function tokenOut(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 168) & 0xff;
    }

    function target(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 176) & 0xff;
    }

    function isConcentrated(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 184) != 0;
    }

    function isPaidUpstream(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 185) != 0;
    }

    function isZeroForOne(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 186) != 0;
    }

    function feePips(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 192) & 0xffffff;
    }
}

/// @title Takes a fraction of an amount
library ShareLibrary {
    /// The share of `whole`, rounded down; all of it when the fraction is one, so that nothing is left.
    function ofWhole(Share share, uint256 whole) internal pure returns (uint256) {
        uint256 numerator = Share.unwrap(share) >> 128;
        uint256 denominator = uint128(Share.unwrap(share));
        return numerator == denominator ? whole : whole * numerator / denominator;
    }
}
